// SPDX-License-Identifier: Apache-2.0
// Files of other writers decode to their known arrays; corrupt files are refused.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/internal.hpp"
#include "cvc/cvc_files.hpp"

namespace numpact::testing {
namespace {

using cvc::Compression;
using cvc::Reader;

class CvcFile : public ::testing::TestWithParam<std::string> {};

bool has_int8(const cvc::Info& info) {
  return std::any_of(info.slices.begin(), info.slices.end(), [](const cvc::Slice& slice) {
    return slice.compression == Compression::kInt8;
  });
}

TEST_P(CvcFile, HoldsItsArray) {
  const Bytes bytes = cvc_bytes(GetParam());
  const ExactCopy file(bytes);
  const Reader reader = Reader::create(file.span()).value();
  for (std::size_t c = 0; c < reader.info().columns.size(); ++c) {
    const Array expected = cvc_array(column_array(GetParam(), reader.info(), c));
    // The reference returns these as float32; the file holds the integers of the input.
    const bool is_wide =
        GetParam() == "v20_int32_beyond_2_24" ||
        (expected.descr == "<f4" && reader.info().columns[c].compression == Compression::kNone &&
         reader.info().columns[c].dtype == cvc::Dtype::kInt32);
    ASSERT_EQ(reader.rows(), expected.rows());
    ASSERT_EQ(reader.info().columns[c].dimension, expected.dimension());
    if (is_wide) {
      const Bytes got = read_column(reader, c, cvc::Dtype::kInt32);
      Bytes rounded(got.size());
      for (std::size_t i = 0; i < got.size(); i += 4) {
        std::int32_t whole;
        std::memcpy(&whole, got.data() + i, 4);
        const auto value = static_cast<float>(whole);
        std::memcpy(rounded.data() + i, &value, 4);
      }
      EXPECT_TRUE(same_values(rounded, expected.bytes, cvc::Dtype::kFloat32));
      continue;
    }
    EXPECT_TRUE(same_values(read_column(reader, c, expected.dtype()), expected.bytes,
                            expected.dtype(), has_int8(reader.info())))
        << c;
  }
}

std::vector<std::string> good_names() {
  std::vector<std::string> names = cvc_names("");
  std::erase(names, "odd_mmap_overrun");
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, CvcFile, ::testing::ValuesIn(good_names()),
                         [](const auto& test) { return test.param; });

TEST(CvcRefused, OverrunPages) {
  const Bytes file = cvc_bytes("odd_mmap_overrun");
  EXPECT_EQ(Reader::create(file).status().kind(), ErrorKind::kCorrupt);
}

// The status of reading a whole file.
Status read_error(ByteSpan file) {
  Result<Reader> reader = Reader::create(file);
  if (!reader.ok()) return reader.status();
  cvc::VerifyReport report;
  const Status status = reader->verify().into(report);
  return report.bad.empty() ? status : report.bad[0].status;
}

TEST(CvcRefused, AllBadFiles) {
  for (const std::string& name : cvc_names("bad")) {
    SCOPED_TRACE(name);
    const ExactCopy file(cvc_bytes("bad/" + name));
    const Status status = read_error(file.span());
    EXPECT_FALSE(status.ok());
    EXPECT_NE(status.kind(), ErrorKind::kOutOfMemory);
    EXPECT_STRNE(status.what(), "");
    EXPECT_NE(status.offset(), Status::kNoOffset) << status.message();
  }
}

}  // namespace
}  // namespace numpact::testing
