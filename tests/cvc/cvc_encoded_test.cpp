// SPDX-License-Identifier: Apache-2.0
// Encoded chunks that are copied from file to file.
#include <gtest/gtest.h>

#include "base/internal.hpp"
#include "cvc/cvc_files.hpp"
#include "support/random.hpp"

namespace numpact::testing {
namespace {

using cvc::Compression;
using cvc::Dtype;
using cvc::EncodedChunk;
using cvc::Info;
using cvc::Reader;
using cvc::Rows;
using cvc::Version;
using cvc::WriteConfig;
using cvc::Writer;

ByteSpan payload_of(const Bytes& file, const Info& info, std::size_t chunk) {
  const cvc::Chunk& entry = info.chunks[chunk];
  return ByteSpan(file).subspan(static_cast<std::size_t>(entry.offset + info.record_head_bytes()),
                                static_cast<std::size_t>(entry.payload_bytes));
}

EncodedChunk encoded(const Bytes& file, const Info& info, std::size_t chunk) {
  const std::size_t count = info.columns.size();
  return {info.chunks[chunk].rows, std::span(info.slices).subspan(chunk * count, count),
          payload_of(file, info, chunk)};
}

WriteConfig config_of(const Info& info) {
  WriteConfig config;
  config.paged = info.is_paged;
  config.dimension = info.columns[0].dimension;
  config.compression = info.columns[0].compression;
  config.version = info.major == 0 ? Version::kV01 : Version::kV10;
  if (!info.is_columnar) return config;
  config.version = Version::kV20;
  config.dimension.reset();
  for (const cvc::Column& column : info.columns) {
    config.columns.push_back({column.name, column.dimension, column.dtype, column.compression});
  }
  return config;
}

// Copies a file chunk by chunk.
Bytes copied(const Bytes& file, const WriteConfig& config) {
  const Reader reader = Reader::create(file).value();
  const Info& info = reader.info();
  Bytes out;
  Writer writer = Writer::create(out, config).value();
  for (const cvc::Section& section : info.sections) {
    throw_if_error(writer.add_section(section.rows, section.metadata));
  }
  for (std::size_t i = 0; i < info.chunks.size(); ++i) {
    if (info.chunks[i].metadata) {
      throw_if_error(writer.set_chunk(i, {std::nullopt, std::string(*info.chunks[i].metadata)}));
    }
    throw_if_error(writer.append_encoded(encoded(file, info, i)));
  }
  writer.finish().value();
  return out;
}

// Copies of other writers' files are identical if numpact writes the same header.
TEST(CvcEncoded, FilesAreCopiedByteForByte) {
  std::size_t compared = 0;
  for (const std::string& name : cvc_names("")) {
    const bool is_plain =
        name.starts_with("v01") || name.starts_with("v10") || name.starts_with("v20");
    // Their headers are formatted differently.
    if (!is_plain || name.starts_with("v10_mmap")) continue;
    const Bytes file = cvc_bytes(name);
    const Reader reader = Reader::create(file).value();
    if (!has_json_header(reader.info())) continue;
    EXPECT_TRUE(same_bytes(copied(file, config_of(reader.info())), file)) << name;
    ++compared;
  }
  EXPECT_GT(compared, 50u);
}

TEST(CvcEncoded, UpgradesAsThePackageDoes) {
  const Bytes file = cvc_bytes("v01_sections_int8");
  WriteConfig config = config_of(Reader::create(file).value().info());
  config.version = Version::kV10;
  const Bytes upgraded = copied(file, config);
  const Reader before = Reader::create(file).value();
  const Reader after = Reader::create(upgraded).value();
  EXPECT_TRUE(after.info().has_checksums());
  EXPECT_EQ(after.read_all().value(), before.read_all().value());
  EXPECT_EQ(after.info().sections.size(), before.info().sections.size());
}

class Refusals : public ::testing::Test {
 protected:
  Refusals() {
    WriteConfig config;
    config.compression = Compression::kInt8;
    const std::vector<float> values{1, 2, 3, 4, 5, 6};
    Writer writer = Writer::create(file_, config).value();
    throw_if_error(writer.append(Rows(std::span<const float>(values), 2)));
    writer.finish().value();
    info_ = Reader::create(file_).value().info();
  }

  Status append(const EncodedChunk& chunk, const WriteConfig& config) {
    Bytes out;
    Writer writer = Writer::create(out, config).value();
    return writer.append_encoded(chunk);
  }

  WriteConfig config(Compression compression = Compression::kFp16) const {
    WriteConfig made;
    made.compression = compression;
    made.dimension = 2;
    return made;
  }

  Bytes file_;
  Info info_;
};

TEST_F(Refusals, SizesAndVersions) {
  const EncodedChunk good = encoded(file_, info_, 0);
  EXPECT_TRUE(append(good, config()).ok()) << "another compression than the file's";
  EXPECT_EQ(append(good, {}).kind(), ErrorKind::kInvalidArgument) << "no dimension";

  EncodedChunk chunk = good;
  chunk.rows = 2;
  EXPECT_EQ(append(chunk, config()).kind(), ErrorKind::kCorrupt);
  chunk.rows = std::uint64_t{1} << 61;
  EXPECT_EQ(append(chunk, config()).kind(), ErrorKind::kInvalidArgument);
  chunk = good;
  chunk.payload = chunk.payload.first(5);
  EXPECT_EQ(append(chunk, config()).kind(), ErrorKind::kCorrupt);
  chunk.slices = {};
  EXPECT_EQ(append(chunk, config()).kind(), ErrorKind::kInvalidArgument);

  std::vector<cvc::Slice> slices(good.slices.begin(), good.slices.end());
  chunk = good;
  chunk.slices = slices;
  slices[0].offset = ~std::uint64_t{0};
  EXPECT_EQ(append(chunk, config()).kind(), ErrorKind::kCorrupt);
  slices[0].offset = 0;
  slices[0].size = 4;
  EXPECT_EQ(append(chunk, config()).kind(), ErrorKind::kCorrupt);
  slices[0] = good.slices[0];
  slices[0].compression = Compression::kNone;
  EXPECT_EQ(append(chunk, config()).kind(), ErrorKind::kInvalidArgument) << "columns only";
  slices[0].compression = Compression::kLossless;
  EXPECT_EQ(append(chunk, config()).kind(), ErrorKind::kCorrupt);
  WriteConfig old = config();
  old.version = Version::kV01;
  EXPECT_EQ(append(chunk, old).kind(), ErrorKind::kInvalidArgument) << "0.1 has no lossless";
}

TEST_F(Refusals, PayloadsLongerThanTheirSlices) {
  WriteConfig config;
  config.version = Version::kV20;
  config.columns = {{"a", 2, Dtype::kFloat32, Compression::kInt8}};
  Bytes longer(7);
  const std::vector<cvc::Slice> slices(info_.slices.begin(), info_.slices.end());
  EXPECT_EQ(append({3, slices, longer}, config).kind(), ErrorKind::kCorrupt);
  EXPECT_TRUE(append({3, slices, ByteSpan(longer).first(6)}, config).ok());
}

TEST(CvcEncoded, MixesWithRows) {
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  const Rows rows(std::span<const float>(values), 2);
  Bytes first;
  WriteConfig config;
  config.dimension = 2;
  config.chunk_rows = 2;
  Writer writer = Writer::create(first, config).value();
  throw_if_error(writer.append(rows));
  writer.finish().value();
  const Reader reader = Reader::create(first).value();

  Bytes out;
  Writer second = Writer::create(out, config).value();
  throw_if_error(second.append(rows));
  throw_if_error(
      second.append_encoded(encoded(first, reader.info(), 0)));  // behind a chunk that is not full
  throw_if_error(second.begin_section("1"));
  throw_if_error(second.append_encoded(encoded(first, reader.info(), 1)));
  throw_if_error(second.append(rows));
  second.finish().value();
  const Reader whole = Reader::create(out).value();
  const std::vector<float> expected{1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6};
  EXPECT_EQ(whole.read_all().value(), expected);
  ASSERT_EQ(whole.info().sections.size(), 1u);
  EXPECT_EQ(whole.info().sections[0].rows, (cvc::RowRange{5, 4}));
}

TEST(CvcEncoded, SectionsMustLieInside) {
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  const Rows rows(std::span<const float>(values), 2);
  const auto with = [&](const std::vector<cvc::RowRange>& sections) {
    Bytes out;
    Writer writer = Writer::create(out, {}).value();
    for (const cvc::RowRange& section : sections) {
      const Status status = writer.add_section(section, "{}");
      if (!status.ok()) return status.kind();
    }
    throw_if_error(writer.append(rows));
    return writer.finish().status().kind();
  };
  EXPECT_EQ(with({{0, 3}, {1, 1}, {3, 0}}), ErrorKind::kNone);
  EXPECT_EQ(with({{0, 4}}), ErrorKind::kInvalidArgument);
  EXPECT_EQ(with({{~std::uint64_t{0}, 2}}), ErrorKind::kInvalidArgument);
  EXPECT_EQ(with({{1, 1}, {0, 1}}), ErrorKind::kInvalidArgument);
}

}  // namespace
}  // namespace numpact::testing
