// SPDX-License-Identifier: Apache-2.0
// A process that appends is killed at each of its system calls: the table has the old rows or all.
#include <gtest/gtest.h>

#include "numpact/table_writer.hpp"
#include "support/killed.hpp"
#include "support/system.hpp"

#if defined(__linux__)
#include <filesystem>
#include <set>
#include <string>
#include <utility>

namespace numpact {
namespace {

using table::TableWriter;

table::WriterConfig quick() {
  table::WriterConfig config;
  config.encode.level = 1;
  return config;
}

// Two columns, the second with nulls.
bool write(Result<TableWriter>&& opened, std::uint32_t first, std::size_t rows) {
  if (!opened.ok()) return false;
  std::vector<std::uint32_t> numbers;
  std::vector<std::uint8_t> valid;
  for (std::size_t i = 0; i < rows; ++i) {
    numbers.push_back(first + static_cast<std::uint32_t>(i));
    valid.push_back(i % 3 == 0 ? 0 : 1);
  }
  return opened->write(0, numbers).ok() && opened->write(1, numbers, valid).ok() &&
         opened->commit().ok();
}

std::vector<std::uint32_t> rows_of(const std::string& path) {
  table::Failure failure;
  const auto reader = table::Reader::open(path, {}, &failure);
  EXPECT_TRUE(reader.ok()) << failure.message();
  if (!reader.ok()) return {};
  std::vector<std::uint32_t> rows(static_cast<std::size_t>(reader->columns()[0].rows()));
  table::Cursor cursor = table::Cursor::create(table::Scan::create(*reader, {}).value()).value();
  EXPECT_EQ(reader->columns()[1].rows(), rows.size());
  for (const std::size_t column : {1, 0}) {
    const MutableNumberView out(NumberType::kU32, rows.data(), rows.size());
    EXPECT_TRUE(cursor.read(column, 0, out, {}, 0, &failure).ok()) << failure.message();
  }
  return rows;
}

// Rows of the columns a, which becomes wider, and c, which is new; b is absent.
bool extend(const std::string& path) {
  auto opened = TableWriter::append(path, quick());
  table::Manifest rows;
  for (const char* const name : {"a", "c"}) {
    table::Column& column = rows.columns.emplace_back();
    column.name = name;
    column.type = NumberType::kU64;
  }
  const std::vector<std::uint64_t> numbers(10, std::uint64_t{1} << 40);
  return opened.ok() && opened->set_rows(rows, table::SchemaChange::kExtend).ok() &&
         opened->write(0, numbers).ok() && opened->write(2, numbers).ok() && opened->commit().ok();
}

std::set<std::string> files_in(const std::string& path) {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    files.insert(entry.path().filename().string());
  }
  return files;
}

table::Manifest two_columns() {
  table::Manifest manifest;
  for (const char* const name : {"a", "b"}) {
    table::Column& column = manifest.columns.emplace_back();
    column.name = name;
    column.type = NumberType::kU32;
  }
  return manifest;
}

TEST(WriterCrash, LeavesTheOldRowsOrAll) {
  if (!testing::may_trace()) GTEST_SKIP() << "processes may not be traced here";
  const std::string place = testing::system::new_folder("writer_crash");
  const std::string path = place + "/table";
  const table::Manifest manifest = two_columns();
  const auto append = [&] { return write(TableWriter::append(path, quick()), 1'000'000, 10); };
  ASSERT_TRUE(write(TableWriter::create(path, manifest, false, quick()), 0, 100));
  std::size_t expected = 100;
  int calls = 0;
  std::size_t kept = 0;
  for (; testing::is_killed(calls, append); ++calls) {
    const std::vector<std::uint32_t> rows = rows_of(path);
    ASSERT_TRUE(rows.size() == expected || rows.size() == expected + 10) << calls;
    if (rows.size() == expected + 10) ++kept;
    expected = rows.size();
    for (std::size_t i = 0; i < rows.size() && i < 100; ++i) ASSERT_EQ(rows[i], i);
    if (calls % 7 != 0) continue;
    // The next writer completes its rows, and removes what was left.
    ASSERT_TRUE(write(TableWriter::append(path, quick()), 2'000'000, 5)) << calls;
    expected += 5;
    EXPECT_EQ(files_in(path).size(), 4u)
        << calls;  // two columns, a file of nulls, and the manifest
  }
  EXPECT_EQ(rows_of(path).size(), expected + 10);
  EXPECT_GT(calls, 30);
  EXPECT_GT(kept, 0u);
  std::filesystem::remove_all(place);
}

TEST(WriterCrash, LeavesTheOldColumnsOrAll) {
  if (!testing::may_trace()) GTEST_SKIP() << "processes may not be traced here";
  const std::string place = testing::system::new_folder("writer_crash");
  const std::string path = place + "/table";
  int calls = 0;
  std::set<std::size_t> widths;
  for (bool is_first = true; is_first || testing::is_killed(calls, [&] { return extend(path); });
       ++calls) {
    if (!std::exchange(is_first, false)) {
      const auto columns = table::Reader::open(path).value().manifest().columns;
      widths.insert(columns.size());
      const bool is_old = columns.size() == 2;
      ASSERT_EQ(columns[0].type, is_old ? NumberType::kU32 : NumberType::kU64) << calls;
      for (const table::Column& column : columns) {
        ASSERT_EQ(column.rows(), is_old ? 100u : 110u) << calls;
      }
      // The next writer removes what was left: files of two or three columns, all with nulls but a.
      ASSERT_TRUE(extend(path)) << calls;
      EXPECT_EQ(files_in(path).size(), 6u) << calls;
      std::filesystem::remove_all(path);
    }
    ASSERT_TRUE(write(TableWriter::create(path, two_columns(), false, quick()), 0, 100));
  }
  EXPECT_GT(calls, 30);
  EXPECT_EQ(widths, (std::set<std::size_t>{2, 3}));
  std::filesystem::remove_all(place);
}

}  // namespace
}  // namespace numpact
#endif
