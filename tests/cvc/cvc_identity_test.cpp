// SPDX-License-Identifier: Apache-2.0
// Files written from the inputs of other writers are identical to theirs.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/internal.hpp"
#include "cvc/cvc_files.hpp"

namespace numpact::testing {
namespace {

using cvc::Info;
using cvc::Reader;
using cvc::Rows;
using cvc::Writer;

// The config that the other writer must have used.
cvc::WriteConfig config_of(const Info& info) {
  cvc::WriteConfig config;
  config.version = info.major == 0   ? cvc::Version::kV01
                   : info.major == 1 ? cvc::Version::kV10
                                     : cvc::Version::kV20;
  config.chunk_rows = info.chunks.size() > 1 ? info.chunks[0].rows : 100000;
  config.paged = info.is_paged;
  config.allow_nonfinite = true;
  if (info.is_columnar) {
    for (const cvc::Column& column : info.columns) {
      config.columns.push_back({column.name, column.dimension, column.dtype, column.compression});
    }
  } else {
    config.compression = info.columns[0].compression;
    config.dimension = info.columns[0].dimension;
  }
  return config;
}

std::vector<Rows> rows_of_range(const std::vector<Array>& arrays, cvc::RowRange range) {
  std::vector<Rows> rows;
  for (const Array& array : arrays) {
    const std::size_t bytes = array.dimension() * cvc::size_of(array.dtype());
    rows.emplace_back(array.dtype(), array.bytes.data() + range.first * bytes, range.count,
                      array.dimension());
  }
  return rows;
}

Bytes written_again(const Info& info, const std::vector<Array>& arrays,
                    const cvc::WriteConfig& config, std::uint64_t step) {
  Bytes out;
  Writer writer = Writer::create(out, config).value();
  for (std::size_t i = 0; i < info.chunks.size(); ++i) {
    if (info.chunks[i].metadata) {
      cvc::ChunkOptions options;
      options.metadata = std::string(*info.chunks[i].metadata);
      throw_if_error(writer.set_chunk(i, options));
    }
  }
  std::vector<cvc::Section> sections = info.sections;
  if (sections.empty()) sections.push_back({{0, info.rows}, {}});
  for (const cvc::Section& section : sections) {
    if (!info.sections.empty()) throw_if_error(writer.begin_section(section.metadata));
    for (std::uint64_t done = 0; done < section.rows.count; done += step) {
      const std::uint64_t count = std::min(step, section.rows.count - done);
      throw_if_error(writer.append(rows_of_range(arrays, {section.rows.first + done, count})));
    }
  }
  writer.finish().value();
  return out;
}

class CvcIdentity : public ::testing::TestWithParam<std::string> {};

TEST_P(CvcIdentity, SameBytes) {
  const Bytes file = cvc_bytes(GetParam());
  const Reader reader = Reader::create(file).value();
  const Info& info = reader.info();
  std::vector<Array> arrays;
  for (std::size_t c = 0; c < info.columns.size(); ++c) {
    arrays.push_back(cvc_input(column_array(GetParam(), info, c)));
    // The reference returns integers as floats; if that is exact, there is no file of the input.
    if (info.columns[c].dtype == cvc::Dtype::kInt32) arrays.back().to_int32();
  }
  cvc::WriteConfig config = config_of(info);
  const std::uint64_t all = std::max<std::uint64_t>(1, info.rows);
  EXPECT_TRUE(same_bytes(written_again(info, arrays, config, all), file)) << "in one piece";
  EXPECT_TRUE(same_bytes(written_again(info, arrays, config, 7), file)) << "a few rows at a time";
  config.expected_rows = info.rows;
  EXPECT_TRUE(same_bytes(written_again(info, arrays, config, all), file)) << "planned";
  config.threads = 3;
  EXPECT_TRUE(same_bytes(written_again(info, arrays, config, all), file)) << "by threads";
  EXPECT_TRUE(same_bytes(written_again(info, arrays, config, 11), file)) << "by threads, in pieces";
}

std::vector<std::string> written_names() {
  std::vector<std::string> names = cvc_names("");
  std::erase_if(names, [](const std::string& name) {
    // Files that were made by hand, damaged, or derived from another file with its float64
    // parameters. Headers that are not JSON are not written.
    return name[0] != 'v' || name == "v10_upgraded_from_v01" ||
           !has_json_header(Reader::create(cvc_bytes(name)).value().info());
  });
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, CvcIdentity, ::testing::ValuesIn(written_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace numpact::testing
