// SPDX-License-Identifier: Apache-2.0
// Writing tables by the C interface; writer_test.cpp has what the library writes.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "numpact/table_writer.h"
#include "support/system.hpp"

namespace numpact {
namespace {

numpact_table_column column_of(const char* name, int32_t kind, numpact_type type) {
  numpact_table_column column = {};
  column.struct_size = sizeof column;
  column.name = name;
  column.name_size = std::strlen(name);
  column.kind = kind;
  column.type = type;
  column.is_nullable = 1;
  return column;
}

class TableWriterInC : public ::testing::Test {
 protected:
  void SetUp() override {
    place_ = testing::system::new_folder("writer_in_c");
    path_ = place_ + "/table";
    numpact_table_writer_options_init(&options_);
    options_.lock_timeout_ms = 0;
  }
  void TearDown() override {
    numpact_table_writer_destroy(writer_);
    std::filesystem::remove_all(place_);
  }

  numpact_status create(const std::vector<numpact_table_column>& columns, int32_t may_replace = 0) {
    return numpact_table_writer_create(path_.c_str(), columns.data(), columns.size(), may_replace,
                                       &options_, &writer_, why_, sizeof why_, nullptr);
  }
  numpact_status append() {
    return numpact_table_writer_append(path_.c_str(), &options_, &writer_, why_, sizeof why_,
                                       nullptr);
  }
  numpact_status write(std::size_t column, const void* numbers, const std::uint8_t* valid,
                       std::size_t count) {
    return numpact_table_writer_write(writer_, column, numbers, valid, count, why_, sizeof why_,
                                      nullptr);
  }
  numpact_status commit() {
    return numpact_table_writer_commit(writer_, why_, sizeof why_, nullptr);
  }
  void close() {
    numpact_table_writer_destroy(writer_);
    writer_ = nullptr;
  }

  std::string place_;
  std::string path_;
  numpact_table_writer_options options_;
  numpact_table_writer* writer_ = nullptr;
  char why_[300] = {};
};

// Writes a file of one batch, of which the library takes the checksums and no more.
struct Texts {
  std::uint64_t rows = 0;
  std::size_t copied = 0;
  int fails = 0;
};

int write_texts(void* opaque, numpact_table_other_rows* rows) {
  auto& texts = *static_cast<Texts*>(opaque);
  texts.copied = rows->copied_count;
  rows->rows = texts.rows;
  for (std::size_t i = 0; i < rows->copied_count; ++i) rows->rows += rows->copied[i].rows;
  rows->type_text = "large_string";
  if (texts.fails != 0) return texts.fails;
  std::ifstream opened(NUMPACT_MANIFESTS "/files/s.arrow", std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(opened), {}};
  return rows->write(rows->sink, file.data(), file.size());
}

TEST_F(TableWriterInC, NewTablesAndAppends) {
  numpact_table_column time = column_of("time", NUMPACT_TABLE_TIMESTAMP, NUMPACT_I64);
  time.unit = NUMPACT_TABLE_MICRO;
  time.timezone = "UTC";
  numpact_table_column text = column_of("s", NUMPACT_TABLE_OTHER, NUMPACT_NO_TYPE);
  text.type_text = "string";
  ASSERT_EQ(create({time, text, column_of("x", NUMPACT_TABLE_NUMBER, NUMPACT_F32)}), NUMPACT_OK)
      << why_;
  const std::int64_t times[] = {1, 2, 3};
  const float numbers[] = {1, 0, 2.5F};
  const std::uint8_t valid[] = {1, 0, 1};
  Texts texts{3};
  for (int part = 0; part < 2; ++part) {
    ASSERT_EQ(write(0, times, nullptr, 3), NUMPACT_OK) << why_;
    ASSERT_EQ(write(2, numbers, valid, 3), NUMPACT_OK) << why_;
    ASSERT_EQ(numpact_table_writer_write_other(writer_, 1, write_texts, &texts, why_, sizeof why_,
                                               nullptr),
              NUMPACT_OK)
        << why_;
    EXPECT_EQ(texts.copied, static_cast<std::size_t>(part));
    ASSERT_EQ(commit(), NUMPACT_OK) << why_;
    const numpact_table_manifest* const made = numpact_table_writer_get_manifest(writer_);
    EXPECT_EQ(numpact_table_manifest_rows(made), 3u * static_cast<unsigned>(part + 1));
    numpact_table_column column;
    column.struct_size = sizeof column;
    ASSERT_EQ(numpact_table_manifest_column(made, 0, &column, nullptr), NUMPACT_OK);
    EXPECT_EQ(column.unit, NUMPACT_TABLE_MICRO);
    EXPECT_STREQ(column.timezone, "UTC");
    ASSERT_EQ(numpact_table_manifest_column(made, 1, &column, nullptr), NUMPACT_OK);
    EXPECT_STREQ(column.type_text, "large_string");
    close();
    if (part == 0) {
      ASSERT_EQ(append(), NUMPACT_OK) << why_;
    }
  }
  numpact_table* table = nullptr;
  ASSERT_EQ(numpact_table_open(nullptr, path_.c_str(), &table, why_, sizeof why_, nullptr),
            NUMPACT_OK)
      << why_;
  numpact_table_column column;
  column.struct_size = sizeof column;
  ASSERT_EQ(numpact_table_manifest_column(numpact_table_get_manifest(table), 2, &column, nullptr),
            NUMPACT_OK);
  EXPECT_EQ(column.nulls, 2u);
  EXPECT_EQ(column.rows, 6u);
  numpact_table_destroy(table);
}

TEST_F(TableWriterInC, Errors) {
  const std::int64_t numbers[] = {1, 2, 3};
  EXPECT_EQ(append(), NUMPACT_IO);
  EXPECT_NE(std::string(why_).find("table"), std::string::npos) << why_;
  EXPECT_EQ(create({column_of("a", 17, NUMPACT_I64)}), NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(create({column_of("a", NUMPACT_TABLE_NUMBER, 77)}), NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(create({column_of("a", NUMPACT_TABLE_TIMESTAMP, NUMPACT_I64)}),
            NUMPACT_INVALID_ARGUMENT);
  numpact_table_column half = column_of("a", NUMPACT_TABLE_NUMBER, NUMPACT_I64);
  half.struct_size = offsetof(numpact_table_column, name_size) + 3;
  EXPECT_EQ(create({half}), NUMPACT_INVALID_ARGUMENT);
  options_.struct_size = 3;
  EXPECT_EQ(append(), NUMPACT_INVALID_ARGUMENT);
  options_.struct_size = sizeof options_;

  numpact_table_column strict = column_of("a", NUMPACT_TABLE_NUMBER, NUMPACT_I64);
  strict.is_nullable = 0;
  numpact_table_column text = column_of("s", NUMPACT_TABLE_OTHER, NUMPACT_NO_TYPE);
  text.type_text = "string";
  ASSERT_EQ(create({strict, text}), NUMPACT_OK) << why_;
  EXPECT_EQ(write(1, numbers, nullptr, 3), NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(write(2, numbers, nullptr, 3), NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(write(0, nullptr, nullptr, 3), NUMPACT_INVALID_ARGUMENT);
  ASSERT_EQ(write(0, numbers, nullptr, 3), NUMPACT_OK);
  Texts texts{3, 0, ENOSPC};
  numpact_error error;
  numpact_error_init(&error);
  EXPECT_EQ(
      numpact_table_writer_write_other(writer_, 1, write_texts, &texts, why_, sizeof why_, &error),
      NUMPACT_IO);
  EXPECT_EQ(error.system_error, ENOSPC);
  EXPECT_NE(std::string(why_).find("column \"s\""), std::string::npos) << why_;
  EXPECT_EQ(numpact_table_writer_write_other(writer_, 0, write_texts, &texts, nullptr, 0, nullptr),
            NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(numpact_table_writer_write_other(writer_, 1, nullptr, &texts, nullptr, 0, nullptr),
            NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(commit(), NUMPACT_INVALID_ARGUMENT);
  close();
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_TRUE(std::filesystem::is_empty(place_));

  ASSERT_EQ(create({strict}), NUMPACT_OK);
  ASSERT_EQ(write(0, numbers, nullptr, 3), NUMPACT_OK);
  ASSERT_EQ(commit(), NUMPACT_OK);
  EXPECT_EQ(commit(), NUMPACT_INVALID_ARGUMENT);
  close();
  EXPECT_EQ(create({strict}), NUMPACT_INVALID_ARGUMENT);
  EXPECT_NE(std::string(why_).find("exists already"), std::string::npos) << why_;
  ASSERT_EQ(append(), NUMPACT_OK);
  numpact_table_writer* const first = writer_;
  writer_ = nullptr;
  EXPECT_EQ(append(), NUMPACT_TIMED_OUT);
  writer_ = first;
  const std::uint8_t valid[] = {1, 0, 1};
  EXPECT_EQ(write(0, numbers, valid, 3), NUMPACT_INVALID_ARGUMENT);
  EXPECT_NE(std::string(why_).find("nulls, but its field"), std::string::npos) << why_;
  close();
  ASSERT_EQ(create({}, 1), NUMPACT_OK) << why_;
  ASSERT_EQ(commit(), NUMPACT_OK) << why_;
}

// How many rows a query finds.
std::uint64_t matching(const numpact_table* table, const numpact_table_query& query) {
  char why[300] = "";
  numpact_table_scan* scan = nullptr;
  numpact_table_cursor* cursor = nullptr;
  numpact_table_batch batch;
  batch.struct_size = sizeof batch;
  std::uint64_t rows = 0;
  EXPECT_EQ(numpact_table_scan_create(table, &query, &scan, why, sizeof why, nullptr), NUMPACT_OK)
      << why;
  EXPECT_EQ(numpact_table_cursor_create(scan, &cursor, nullptr), NUMPACT_OK);
  for (;;) {
    EXPECT_EQ(numpact_table_cursor_next(cursor, &batch, why, sizeof why, nullptr), NUMPACT_OK);
    if (batch.window_rows == 0) break;
    rows += batch.rows;
  }
  numpact_table_cursor_destroy(cursor);
  numpact_table_scan_destroy(scan);
  return rows;
}

TEST_F(TableWriterInC, TextsThatRepeat) {
  numpact_table_column text = column_of("s", NUMPACT_TABLE_TEXT, NUMPACT_NO_TYPE);
  text.type_text = "string";
  ASSERT_EQ(create({text}), NUMPACT_OK) << why_;
  const std::string bytes = "babab";
  const std::uint64_t ends[] = {1, 2, 3, 4, 5, 5};
  const std::uint8_t valid[] = {1, 1, 1, 1, 1, 0};
  const auto write = [&] {
    return numpact_table_writer_write_texts(writer_, 0, bytes.data(), ends, valid, 6, why_,
                                            sizeof why_, nullptr);
  };
  ASSERT_EQ(write(), NUMPACT_OK) << why_;
  ASSERT_EQ(commit(), NUMPACT_OK) << why_;
  close();
  ASSERT_EQ(append(), NUMPACT_OK) << why_;
  ASSERT_EQ(write(), NUMPACT_OK) << why_;
  ASSERT_EQ(commit(), NUMPACT_OK) << why_;
  close();

  numpact_table* table = nullptr;
  ASSERT_EQ(numpact_table_open(nullptr, path_.c_str(), &table, why_, sizeof why_, nullptr),
            NUMPACT_OK);
  numpact_table_column found;
  found.struct_size = sizeof found;
  numpact_table_manifest_column(numpact_table_get_manifest(table), 0, &found, nullptr);
  EXPECT_EQ(found.kind, NUMPACT_TABLE_TEXT);
  EXPECT_EQ(found.type, NUMPACT_U8);
  EXPECT_STREQ(found.type_text, "string");
  EXPECT_STREQ(found.text_file, "s.values");
  numpact_table_texts texts;
  texts.struct_size = sizeof texts;
  ASSERT_EQ(numpact_table_get_texts(table, 0, &texts, why_, sizeof why_, nullptr), NUMPACT_OK);
  ASSERT_EQ(texts.count, 2u);
  EXPECT_EQ(std::string(texts.bytes, texts.offsets[2]), "ab");
  EXPECT_EQ(numpact_table_get_texts(table, 1, &texts, why_, sizeof why_, nullptr),
            NUMPACT_INVALID_ARGUMENT);

  numpact_table_value value = {};
  value.struct_size = sizeof value;
  value.kind = NUMPACT_TABLE_VALUE_TEXT;
  value.text = "b";
  value.text_size = 1;
  numpact_table_condition condition = {sizeof condition, 0, NUMPACT_TABLE_GREATER_EQUAL, 1, &value};
  numpact_table_query query;
  numpact_table_query_init(&query);
  query.conditions = &condition;
  query.condition_count = 1;
  EXPECT_EQ(matching(table, query), 6u);
  condition.op = NUMPACT_TABLE_LIKE;
  value.text = "a%";
  value.text_size = 2;
  EXPECT_EQ(matching(table, query), 4u);
  value.kind = NUMPACT_TABLE_VALUE_BYTES;
  numpact_table_scan* scan = nullptr;
  EXPECT_EQ(numpact_table_scan_create(table, &query, &scan, why_, sizeof why_, nullptr),
            NUMPACT_TYPE_MISMATCH);
  numpact_table_destroy(table);
}

TEST_F(TableWriterInC, BadTexts) {
  numpact_table_column text = column_of("s", NUMPACT_TABLE_TEXT, NUMPACT_NO_TYPE);
  text.type_text = "string";
  ASSERT_EQ(create({text}), NUMPACT_OK) << why_;
  const char bad = '\xff';
  const std::uint64_t end = 1;
  EXPECT_EQ(numpact_table_writer_write_texts(writer_, 0, &bad, &end, nullptr, 1, why_, sizeof why_,
                                             nullptr),
            NUMPACT_INVALID_ARGUMENT);
  EXPECT_NE(std::string(why_).find("not UTF-8"), std::string::npos) << why_;
  text.type_text = "utf8";
  close();
  EXPECT_EQ(create({text}, 1), NUMPACT_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace numpact
