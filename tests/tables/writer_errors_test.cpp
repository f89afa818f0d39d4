// SPDX-License-Identifier: Apache-2.0
// What writers refuse, and that nothing changes then.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include "tables/written_table.hpp"

namespace numpact {
namespace {

using table::Failure;
using table::Manifest;
using table::TableWriter;
using table::WriterConfig;
using testing::fast;
using testing::kTypes;
using testing::TextSource;

class WriterErrors : public testing::WrittenTable {};

TEST_F(WriterErrors, ErrorsChangeNothing) {
  Manifest manifest = manifest_of(kTypes);
  manifest.columns[0].nullable = false;
  ASSERT_TRUE(
      write(TableWriter::create(path_, manifest, false, fast()), rows_of(3, 100, 0), 50).ok());
  const auto before = names();
  Failure failure;
  const std::vector<std::uint8_t> bytes(5, 1);
  const std::vector<std::uint8_t> valid = {1, 1, 0, 1, 1};
  {
    TableWriter writer = TableWriter::append(path_, fast()).value();
    EXPECT_EQ(writer.write(1, bytes, {}, &failure).kind(), ErrorKind::kTypeMismatch);
    EXPECT_EQ(failure.text, "holds i32 numbers, not u8");
    EXPECT_EQ(writer.write(3, bytes, {}, &failure).kind(), ErrorKind::kInvalidArgument);
    EXPECT_EQ(writer.write(0, bytes, valid, &failure).kind(), ErrorKind::kInvalidArgument);
    EXPECT_EQ(failure.column, "c0");
    EXPECT_NE(failure.text.find("nulls, but its field"), std::string::npos);
    EXPECT_EQ(writer.write(0, bytes, std::span(valid).first(4)).kind(),
              ErrorKind::kInvalidArgument);
    TextSource source(5);
    EXPECT_EQ(writer.write_other(0, source).kind(), ErrorKind::kInvalidArgument);
    EXPECT_TRUE(writer.write(0, bytes).ok());
    const std::vector<std::int32_t> four(4);
    EXPECT_TRUE(writer.write(1, four).ok());
    EXPECT_EQ(writer.commit(&failure).kind(), ErrorKind::kInvalidArgument);
    EXPECT_EQ(failure.column, "c1");
    // Others wait for the lock.
    WriterConfig at_once = fast();
    at_once.lock.timeout = std::chrono::milliseconds(0);
    EXPECT_EQ(TableWriter::append(path_, at_once).status().kind(), ErrorKind::kTimedOut);
    // Readers do not.
    expect_model(reader());
  }
  EXPECT_EQ(names(), before);
  expect_model(reader());
  EXPECT_EQ(TableWriter::append(path_ + "x", fast(), &failure).status().kind(), ErrorKind::kIo);
  EXPECT_EQ(TableWriter::append(path_ + "/c0.pco", fast()).status().kind(), ErrorKind::kIo);
  EXPECT_EQ(TableWriter::append(place_, fast()).status().kind(), ErrorKind::kIo);
  std::ofstream(path_ + "/manifest.json") << "{";
  EXPECT_EQ(TableWriter::append(path_, fast(), &failure).status().kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(failure.file.substr(failure.file.size() - 13), "manifest.json");
}

TEST_F(WriterErrors, DamageOfWhatIsCopiedIsAnError) {
  ASSERT_TRUE(create(kTypes, rows_of(3, 1000, 1)).ok());
  ASSERT_TRUE(append(rows_of(3, 10, 1)).ok());
  const std::string file = reader().manifest().columns[1].first_file();
  const auto before = names();
  std::fstream stream(path_ + "/" + file, std::ios::binary | std::ios::in | std::ios::out);
  stream.seekp(60);
  stream.put('\x55');
  stream.close();
  Failure failure;
  EXPECT_FALSE(append(rows_of(3, 10, 1), &failure).ok());
  EXPECT_EQ(failure.file, path_ + "/" + file);
  EXPECT_EQ(failure.column, "c1");
  EXPECT_EQ(names(), before);
}

TEST_F(WriterErrors, ReplacingATable) {
  ASSERT_TRUE(create(kTypes, rows_of(3, 1000, 1)).ok());
  ASSERT_TRUE(append(rows_of(3, 70'000, 1)).ok());
  const table::Reader old = reader();
  Failure failure;
  EXPECT_EQ(TableWriter::create(path_, manifest_of(kTypes), false, fast()).status().kind(),
            ErrorKind::kInvalidArgument);
  const std::string foreign = path_ + "/notes.txt";
  std::ofstream(foreign) << "x";
  EXPECT_EQ(TableWriter::create(path_, manifest_of(kTypes), true, fast(), &failure).status().kind(),
            ErrorKind::kInvalidArgument);
  EXPECT_NE(failure.text.find("'notes.txt', which is not part of the table"), std::string::npos)
      << failure.text;
  std::filesystem::remove(foreign);
  std::ofstream(path_ + "/c1.p9-00000000.pco") << "of a writer that died";
  const auto before = model_;
  model_.clear();
  ASSERT_TRUE(
      write(TableWriter::create(path_, manifest_of(std::span(kTypes).first(2)), true, fast()),
            rows_of(2, 10, 0), 10)
          .ok());
  expect_model(reader());
  expect_only_files_of_the_table();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(place_), {}), 1);
  model_ = before;
  expect_model(old);
  // An empty folder, and one that is removed again.
  path_ = place_ + "/empty";
  std::filesystem::create_directory(path_);
  model_.clear();
  { TableWriter::create(path_, manifest_of(kTypes), true, fast()).value(); }
  EXPECT_EQ(names(), std::set<std::string>{});
  ASSERT_TRUE(
      write(TableWriter::create(path_, manifest_of(kTypes), true, fast()), rows_of(3, 10, 1), 10)
          .ok());
  expect_model(reader());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(place_), {}), 2);
}

TEST_F(WriterErrors, LeftoversAreRemoved) {
  ASSERT_TRUE(create(kTypes, rows_of(3, 10, 1)).ok());
  for (const char* const name :
       {"c0.p9-00000000.pco", "c1.p1-0123abcd.nulls.pco", ".manifest.json.1-00000000.tmp"}) {
    std::ofstream(path_ + "/" + name) << "x";
  }
  std::ofstream(path_ + "/mine.p9-00000000.pco") << "x";
  ASSERT_TRUE(append(rows_of(3, 10, 1)).ok());
  EXPECT_TRUE(names().contains("mine.p9-00000000.pco"));
  std::filesystem::remove(path_ + "/mine.p9-00000000.pco");
  expect_only_files_of_the_table();
  expect_model(reader());
}

}  // namespace
}  // namespace numpact
