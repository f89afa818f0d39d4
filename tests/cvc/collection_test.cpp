// SPDX-License-Identifier: Apache-2.0
// Collections that grow, and files that are joined.
#include "numpact/cvc/collection.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/system.hpp"

namespace numpact {
namespace {

std::vector<std::byte> file_of(std::size_t rows, std::uint64_t dimension, float first) {
  cvc::WriteConfig config;
  config.version = cvc::Version::kV20;
  config.columns = {{"v", dimension, cvc::Dtype::kFloat32, cvc::Compression::kNone}};
  config.chunk_rows = 3;
  std::vector<float> values;
  for (std::size_t i = 0; i < rows * dimension; ++i)
    values.push_back(first + static_cast<float>(i));
  std::vector<std::byte> file;
  cvc::Writer writer = cvc::Writer::create(file, config).value();
  EXPECT_TRUE(writer.begin_section("{\"of\": 1}").ok());
  EXPECT_TRUE(writer.append(cvc::Rows(values, dimension)).ok());
  EXPECT_TRUE(writer.finish().ok());
  return file;
}

TEST(JoinedFiles, AreReadAsOne) {
  const std::vector<std::byte> a = file_of(5, 2, 0);
  const std::vector<std::byte> none = file_of(0, 2, 0);
  const std::vector<std::byte> b = file_of(4, 2, 10);
  std::optional<cvc::Reader> joined;
  {
    const std::vector<cvc::Reader> files = {
        cvc::Reader::create(a).value(), cvc::Reader::create(none).value(),
        cvc::Reader::create(b).value(), cvc::Reader::create(none).value()};
    joined = cvc::Reader::join(files).value();
  }
  ASSERT_EQ(joined->rows(), 9U);
  std::vector<float> expected;
  for (std::size_t i = 0; i < 18; ++i) expected.push_back(static_cast<float>(i));
  EXPECT_EQ(joined->read_all().value(), expected);
  const std::vector<std::uint64_t> rows = {8, 0, 4, 5, 8};
  const std::vector<float> picked = {16, 17, 0, 1, 8, 9, 10, 11, 16, 17};
  EXPECT_EQ(joined->gather(rows).value(), picked);
  EXPECT_EQ(joined->info().chunks.size(), 4U);
  const std::vector<cvc::RowRange> sections = {{0, 5}, {5, 0}, {5, 4}, {9, 0}};
  EXPECT_EQ(joined->find_sections("of", "1").value(), sections);
  EXPECT_TRUE(joined->verify().value().bad.empty());
}

TEST(JoinedFiles, HaveTheSameColumns) {
  const std::vector<std::byte> a = file_of(5, 2, 0);
  const std::vector<std::byte> b = file_of(5, 3, 0);
  const std::vector<cvc::Reader> files = {cvc::Reader::create(a).value(),
                                          cvc::Reader::create(b).value()};
  EXPECT_EQ(cvc::Reader::join(files).status().kind(), ErrorKind::kInvalidArgument);
  EXPECT_EQ(cvc::Reader::join({}).status().kind(), ErrorKind::kInvalidArgument);
  EXPECT_FALSE(cvc::same_columns(files[0].info(), files[1].info()));
  EXPECT_EQ(cvc::columns_text(files[1].info()), "'v' (3 float32)");
}

TEST(Collection, Grows) {
  const std::string place = testing::system::new_folder("collection");
  const std::string path = place + "/vectors";
  cvc::WriteConfig config;
  config.columns.emplace_back().dimension = 2;
  std::vector<float> all;
  for (int i = 0; i < 4; ++i) {
    const std::vector<float> rows = {static_cast<float>(i), 0.5F, 2, 3};
    all.insert(all.end(), rows.begin(), rows.end());
    table::Failure failure;
    auto writer = cvc::CollectionWriter::open(path, config, &failure);
    ASSERT_TRUE(writer.ok()) << failure.message();
    EXPECT_EQ(writer->columns()[0].name, cvc::kDefaultColumn);
    EXPECT_EQ(writer->copied_rows(), 2U * static_cast<unsigned>(i));
    ASSERT_TRUE(writer->file().append(cvc::Rows(rows, 2)).ok());
    EXPECT_EQ(writer->commit(&failure).value().rows, 2U);
    EXPECT_EQ(writer->commit(&failure).status().kind(), ErrorKind::kInvalidArgument);
    config = {};
  }
  cvc::CollectionIndex index;
  const cvc::Reader reader = cvc::open_collection(path, {}, nullptr, &index).value();
  EXPECT_EQ(reader.read_all().value(), all);
  ASSERT_EQ(index.size(), 1U);
  EXPECT_EQ(index[0].rows, 8U);
  EXPECT_EQ(index[0].bytes, std::filesystem::file_size(path + "/" + index[0].name));
  std::filesystem::remove_all(place);
}

// A file of one array, in chunks of `chunk_rows`, with sections and metadata.
std::vector<std::byte> array_of(const std::vector<float>& values, cvc::Compression compression,
                                std::uint64_t chunk_rows) {
  cvc::WriteConfig config;
  config.compression = compression;
  config.chunk_rows = chunk_rows;
  config.metadata = R"({"model": "m"})";
  std::vector<std::byte> file;
  cvc::Writer writer = cvc::Writer::create(file, config).value();
  cvc::ChunkOptions options;
  options.metadata = "7";
  EXPECT_TRUE(writer.set_chunk(1, options).ok());
  EXPECT_TRUE(writer.begin_section(R"({"of": 1})").ok());
  EXPECT_TRUE(writer.append(cvc::Rows(values, 2)).ok());
  EXPECT_TRUE(writer.finish().ok());
  return file;
}

TEST(Collection, TakesRowsOfFiles) {
  const std::string place = testing::system::new_folder("collection");
  std::vector<float> values;
  for (int i = 0; i < 20; ++i) values.push_back(static_cast<float>(i) / 7);
  for (const cvc::Compression compression : cvc::kCompressions) {
    if (compression == cvc::Compression::kNone) continue;
    SCOPED_TRACE(cvc::name_of(compression));
    const std::vector<std::byte> file = array_of(values, compression, 4);
    const cvc::Reader from = cvc::Reader::create(file).value();
    const std::vector<float> expected = from.read_all().value();
    const std::string path = place + "/" + std::string(cvc::name_of(compression));
    table::Failure failure;
    for (int i = 0; i < 2; ++i) {
      auto writer = cvc::CollectionWriter::open_for(path, from, {}, &failure);
      ASSERT_TRUE(writer.ok()) << failure.message();
      const bool is_exact = compression == cvc::Compression::kLossless;
      EXPECT_EQ(writer->columns()[0].compression, is_exact ? cvc::Compression::kPco : compression);
      ASSERT_TRUE(writer->append(from, &failure).ok()) << failure.message();
      ASSERT_TRUE(writer->append(from, &failure).ok()) << failure.message();
      EXPECT_EQ(writer->commit(&failure).value().rows, 20U);
    }
    const cvc::Reader all = cvc::open_collection(path).value();
    EXPECT_EQ(*all.info().metadata, R"({"model":"m"})");
    EXPECT_EQ(all.rows(), 40U);
    for (std::uint64_t first = 0; first < 40; first += 10) {
      EXPECT_EQ(all.read_rows(first, 10).value(), expected) << first;
    }
    const std::vector<cvc::RowRange> sections = {{0, 10}, {10, 10}, {20, 10}, {30, 10}};
    EXPECT_EQ(all.find_sections("of", "1").value(), sections);
    // Chunks of metadata keep it and their rows.
    std::vector<std::uint64_t> marked;
    for (const cvc::Chunk& chunk : all.info().chunks) {
      if (chunk.metadata != "7") continue;
      marked.push_back(chunk.first_row);
      EXPECT_EQ(chunk.rows, 4U);
    }
    EXPECT_EQ(marked, (std::vector<std::uint64_t>{4, 14, 24, 34}));
  }
  std::filesystem::remove_all(place);
}

TEST(Collection, TakesColumnsInAnyOrder) {
  const std::string place = testing::system::new_folder("collection");
  const std::vector<float> x = {1, 2, 3, 4};
  const std::vector<std::int64_t> id = {5, 6};
  std::vector<std::byte> file;
  cvc::WriteConfig config;
  config.version = cvc::Version::kV20;
  config.columns = {{"id", 1, cvc::Dtype::kInt64, cvc::Compression::kPco},
                    {"x", 2, cvc::Dtype::kFloat32, cvc::Compression::kInt8Dim}};
  cvc::Writer made = cvc::Writer::create(file, config).value();
  const cvc::Rows rows[] = {{id, 1}, {x, 2}};
  ASSERT_TRUE(made.append(rows).ok());
  ASSERT_TRUE(made.finish().ok());
  const cvc::Reader from = cvc::Reader::create(file).value();
  cvc::WriteConfig wanted;
  wanted.columns = {config.columns[1], config.columns[0]};
  wanted.columns[0].compression = cvc::Compression::kNone;
  auto writer = cvc::CollectionWriter::open(place + "/c", wanted).value();
  ASSERT_TRUE(writer.append(from).ok());
  ASSERT_TRUE(writer.commit().ok());
  const cvc::Reader all = cvc::open_collection(place + "/c").value();
  EXPECT_EQ(all.info().columns[0].name, "x");
  EXPECT_EQ(all.info().columns[0].compression, cvc::Compression::kNone);
  EXPECT_EQ(all.info().slice(0, 0).compression, cvc::Compression::kInt8Dim);
  EXPECT_EQ(all.read_all().value(), from.read_all({}, 1).value());
  EXPECT_EQ(all.read_all<std::int64_t>({}, 1).value(), id);
  std::filesystem::remove_all(place);
}

TEST(Collection, RefusesDamagedFiles) {
  const std::string place = testing::system::new_folder("collection");
  const std::vector<float> values(40, 1.5F);
  for (const auto compression : {cvc::Compression::kInt8, cvc::Compression::kFp16}) {
    std::vector<std::byte> file = array_of(values, compression, 4);
    file.back() ^= std::byte{1};
    const cvc::Reader from = cvc::Reader::create(file).value();
    table::Failure failure;
    auto writer = cvc::CollectionWriter::open_for(place + "/c", from, {}, &failure).value();
    EXPECT_EQ(writer.append(from, &failure).kind(), ErrorKind::kChecksum) << failure.message();
    EXPECT_EQ(writer.commit(&failure).status().kind(), ErrorKind::kInvalidArgument);
    EXPECT_EQ(writer.append(from, &failure).kind(), ErrorKind::kInvalidArgument);
  }
  EXPECT_FALSE(cvc::open_collection(place + "/c").ok());
  std::filesystem::remove_all(place);
}

}  // namespace
}  // namespace numpact
