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

}  // namespace
}  // namespace numpact
