// SPDX-License-Identifier: Apache-2.0
// Rows of tables by the C interface; reader_test.cpp has what the library reads.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "numpact/table.h"
#include "tables/memory_table.hpp"

namespace numpact {
namespace {

using Files = std::map<std::string, testing::Bytes>;

int size_of_file(void* opaque, const char* name, std::uint64_t* size) {
  const auto& files = *static_cast<Files*>(opaque);
  const auto found = files.find(name);
  if (found == files.end()) return ENOENT;
  *size = found->second.size();
  return 0;
}

int read_file(void* opaque, const char* name, std::uint64_t offset, void* out, std::size_t capacity,
              std::size_t* size) {
  const testing::Bytes& bytes = static_cast<Files*>(opaque)->at(name);
  *size = std::min<std::size_t>(capacity, bytes.size() - static_cast<std::size_t>(offset));
  std::memcpy(out, bytes.data() + offset, *size);
  return 0;
}

class TableInC : public ::testing::Test {
 protected:
  static constexpr std::size_t kRows = 5000;

  void SetUp() override {
    std::vector<testing::ModelColumn> columns(2);
    columns[0].described.name = "a";
    columns[0].described.type = NumberType::kI32;
    columns[1].described.name = "f";
    columns[1].described.type = NumberType::kF32;
    for (std::size_t row = 0; row < kRows; ++row) {
      columns[0].rows.push_back(row % 7 == 3 ? std::nullopt : std::optional<std::uint64_t>(row));
      const float number = row < 1000 ? 0.1F : static_cast<float>(row);
      columns[1].rows.emplace_back(std::bit_cast<std::uint32_t>(number));
    }
    EncodeConfig config;
    config.trailer = TrailerSpec::index();
    config.paging = PagingSpec::equal_pages_up_to(1000);
    for (testing::ModelColumn& column : columns) testing::write_column(files_, column, config);
    testing::write_manifest(files_, columns);
    const numpact_table_files source = {sizeof source, &files_, size_of_file, read_file};
    ASSERT_EQ(numpact_table_open_files(nullptr, &source, &table_, why_, sizeof why_, nullptr),
              NUMPACT_OK)
        << why_;
    numpact_table_query_init(&query_);
  }
  void TearDown() override { numpact_table_destroy(table_); }

  // The status, and the rows that match.
  numpact_status scan(std::vector<std::uint64_t>& rows) {
    numpact_table_scan* scan = nullptr;
    numpact_table_cursor* cursor = nullptr;
    const numpact_status status =
        numpact_table_scan_create(table_, &query_, &scan, why_, sizeof why_, nullptr);
    if (status != NUMPACT_OK) return status;
    EXPECT_EQ(numpact_table_cursor_create(scan, &cursor, nullptr), NUMPACT_OK);
    ranges_ = numpact_table_scan_range_count(scan);
    numpact_table_scan_destroy(scan);  // the cursor keeps what it needs
    numpact_table_batch batch;
    batch.struct_size = sizeof batch;
    for (;;) {
      EXPECT_EQ(numpact_table_cursor_next(cursor, &batch, why_, sizeof why_, nullptr), NUMPACT_OK);
      for (std::uint64_t i = 0; i < batch.window_rows; ++i) {
        if (batch.kept == nullptr || batch.kept[i] != 0) rows.push_back(batch.first_row + i);
      }
      if (batch.window_rows == 0) break;
      const void* numbers = nullptr;
      const std::uint8_t* valid = nullptr;
      for (std::size_t i = 0; i < query_.column_count; ++i) {
        EXPECT_EQ(numpact_table_cursor_values(cursor, i, &numbers, &valid, nullptr), NUMPACT_OK);
        EXPECT_NE(numbers, nullptr);
      }
      EXPECT_EQ(numpact_table_cursor_values(cursor, query_.column_count, &numbers, &valid, nullptr),
                NUMPACT_INVALID_ARGUMENT);
    }
    numpact_table_cursor_destroy(cursor);
    return status;
  }
  std::size_t count() {
    std::vector<std::uint64_t> rows;
    EXPECT_EQ(scan(rows), NUMPACT_OK) << why_;
    return rows.size();
  }
  void set_where(const char* text) {
    query_.where = text;
    query_.where_size = std::strlen(text);
  }

  Files files_;
  numpact_table* table_ = nullptr;
  numpact_table_query query_;
  std::size_t ranges_ = 0;
  char why_[300] = "";
};

TEST_F(TableInC, ScansByText) {
  const std::size_t columns[] = {1, 0};
  query_.columns = columns;
  query_.column_count = 2;
  EXPECT_EQ(count(), kRows);
  set_where("a < 14");
  EXPECT_EQ(count(), 12u);
  EXPECT_EQ(ranges_, 1u);
  set_where("a is null and f >= 4000");
  EXPECT_EQ(count(), 143u);
  query_.first_row = 4000;
  query_.end_row = 4500;
  set_where("f > 0");
  EXPECT_EQ(count(), 500u);
  query_.end_row = kRows + 1;
  std::vector<std::uint64_t> rows;
  EXPECT_EQ(scan(rows), NUMPACT_INVALID_ARGUMENT);
  query_.end_row = NUMPACT_UNKNOWN;
  set_where("a >");
  EXPECT_EQ(scan(rows), NUMPACT_INVALID_ARGUMENT);
  EXPECT_NE(std::string(why_).find("a value"), std::string::npos) << why_;
  set_where("b = 1");
  EXPECT_EQ(scan(rows), NUMPACT_INVALID_ARGUMENT);
  EXPECT_NE(std::string(why_).find("column \"b\": no column"), std::string::npos) << why_;
  set_where("a = 'x'");
  EXPECT_EQ(scan(rows), NUMPACT_TYPE_MISMATCH);
}

TEST_F(TableInC, ScansByStructures) {
  numpact_table_value values[3] = {};
  for (numpact_table_value& value : values) value.struct_size = sizeof value;
  numpact_table_condition condition = {sizeof condition, 1, NUMPACT_TABLE_IN, 3, values};
  query_.conditions = &condition;
  query_.condition_count = 1;
  values[0].kind = NUMPACT_TABLE_VALUE_F64;
  values[0].f64 = static_cast<double>(0.1F);
  values[1].kind = NUMPACT_TABLE_VALUE_I64;
  values[1].i64 = 1234;
  values[2].kind = NUMPACT_TABLE_VALUE_U64;
  values[2].u64 = 4321;
  EXPECT_EQ(count(), 1002u);
  values[0].f64 = 0.1;  // no float
  EXPECT_EQ(count(), 2u);
  values[0].kind = NUMPACT_TABLE_VALUE_NUMBER;  // the language's 0.1 is the float nearest to it
  values[0].text = "0.1";
  values[0].text_size = 3;
  EXPECT_EQ(count(), 1002u);
  set_where("a > 4000");
  EXPECT_EQ(count(), 1u);
  set_where("a >= 0");
  query_.where = nullptr;
  condition.value_count = 1;
  condition.op = NUMPACT_TABLE_LESS;
  values[0].kind = NUMPACT_TABLE_VALUE_F64;
  values[0].f64 = 9007199254740993.0;
  EXPECT_EQ(count(), kRows);
  values[0].f64 = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(count(), 0u);
  std::vector<std::uint64_t> rows;
  values[0].kind = 99;
  EXPECT_EQ(scan(rows), NUMPACT_INVALID_ARGUMENT);
  values[0].kind = NUMPACT_TABLE_VALUE_I64;
  condition.op = 10;
  EXPECT_EQ(scan(rows), NUMPACT_INVALID_ARGUMENT);
  condition.op = NUMPACT_TABLE_LESS;
  condition.column = 2;
  EXPECT_EQ(scan(rows), NUMPACT_INVALID_ARGUMENT);
  condition.column = 0;
  condition.value_count = 2;  // of an operator that takes one
  EXPECT_EQ(scan(rows), NUMPACT_INVALID_ARGUMENT);
}

TEST_F(TableInC, ReadsWindows) {
  numpact_table_scan* scan = nullptr;
  numpact_table_cursor* cursor = nullptr;
  query_.min_part_rows = 900;
  const std::size_t column = 1;
  query_.columns = &column;
  query_.column_count = 1;
  ASSERT_EQ(numpact_table_scan_create(table_, &query_, &scan, why_, sizeof why_, nullptr),
            NUMPACT_OK);
  EXPECT_EQ(numpact_table_scan_range_count(scan), 5u);
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  EXPECT_EQ(numpact_table_scan_range(scan, 4, &first, &end, nullptr), NUMPACT_OK);
  EXPECT_EQ(first, 4000u);
  EXPECT_EQ(end, kRows);
  EXPECT_EQ(numpact_table_scan_range(scan, 5, &first, &end, nullptr), NUMPACT_INVALID_ARGUMENT);
  ASSERT_EQ(numpact_table_cursor_create(scan, &cursor, nullptr), NUMPACT_OK);
  std::vector<std::int32_t> numbers(100);
  std::vector<std::uint8_t> valid(100);
  EXPECT_EQ(numpact_table_cursor_read(cursor, 0, 2000, 100, 3000, numbers.data(), valid.data(),
                                      why_, sizeof why_, nullptr),
            NUMPACT_OK)
      << why_;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(valid[static_cast<std::size_t>(i)], (2000 + i) % 7 != 3);
    EXPECT_EQ(numbers[static_cast<std::size_t>(i)], (2000 + i) % 7 == 3 ? 0 : 2000 + i);
  }
  const std::vector<std::uint64_t> rows = {3, 7, 7, 2001, 4999};
  const auto take = [&](std::size_t from, const std::uint64_t* which, std::size_t count) {
    return numpact_table_cursor_take(cursor, from, which, count, numbers.data(), valid.data(), why_,
                                     sizeof why_, nullptr);
  };
  EXPECT_EQ(take(0, rows.data(), rows.size()), NUMPACT_OK) << why_;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(valid[i], rows[i] % 7 != 3);
    EXPECT_EQ(numbers[i], rows[i] % 7 == 3 ? 0 : static_cast<std::int32_t>(rows[i]));
  }
  const std::uint64_t wrong[] = {5, 4, kRows, ~std::uint64_t{0}};
  EXPECT_EQ(take(0, wrong, 2), NUMPACT_INVALID_ARGUMENT);      // they decrease
  EXPECT_EQ(take(0, wrong + 2, 1), NUMPACT_INVALID_ARGUMENT);  // there are fewer rows
  EXPECT_EQ(take(0, wrong + 3, 1), NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(take(2, wrong, 1), NUMPACT_INVALID_ARGUMENT);  // no column
  EXPECT_EQ(take(0, nullptr, 1), NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(take(0, nullptr, 0), NUMPACT_OK);
  EXPECT_EQ(numpact_table_cursor_read(cursor, 0, 4950, 51, 0, numbers.data(), nullptr, why_,
                                      sizeof why_, nullptr),
            NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(numpact_table_cursor_read(cursor, 2, 0, 1, 0, numbers.data(), nullptr, why_,
                                      sizeof why_, nullptr),
            NUMPACT_INVALID_ARGUMENT);
  numpact_table_cursor_destroy(cursor);
  numpact_table_scan_destroy(scan);
}

TEST_F(TableInC, FindsColumns) {
  std::size_t column = 9;
  EXPECT_EQ(numpact_table_find(table_, "f", 1, &column, nullptr), NUMPACT_OK);
  EXPECT_EQ(column, 1u);
  EXPECT_EQ(numpact_table_find(table_, "g", 1, &column, nullptr), NUMPACT_INVALID_ARGUMENT);
  const numpact_table_manifest* const manifest = numpact_table_get_manifest(table_);
  EXPECT_EQ(numpact_table_manifest_column_count(manifest), 2u);
  EXPECT_EQ(numpact_table_manifest_skipped_count(manifest), 0u);
  numpact_table_skipped skipped;
  skipped.struct_size = sizeof skipped;
  EXPECT_EQ(numpact_table_manifest_skipped(manifest, 0, &skipped, nullptr),
            NUMPACT_INVALID_ARGUMENT);
}

TEST_F(TableInC, ErrorsHaveTheNumberAndTheWords) {
  numpact_table* none = nullptr;
  numpact_error error;
  numpact_error_init(&error);
  EXPECT_EQ(numpact_table_open(nullptr, "/absent/table", &none, why_, sizeof why_, &error),
            NUMPACT_IO);
  EXPECT_STREQ(why_, "/absent/table: No such file or directory");
  EXPECT_EQ(error.system_error, ENOENT);
  numpact_file_end end;
  end.struct_size = sizeof end;
  EXPECT_EQ(numpact_table_file_end(table_, &end, nullptr), NUMPACT_OK);
  EXPECT_EQ(end.warning, nullptr);  // a folder
  files_.erase("a.pco");
  query_.columns = &query_.condition_count;  // column 0
  query_.column_count = 1;
  std::vector<std::uint64_t> rows;
  EXPECT_EQ(scan(rows), NUMPACT_IO);
  EXPECT_EQ(std::string(why_).rfind("a.pco, column \"a\": ", 0), 0u) << why_;
  numpact_table_files source = {sizeof source, &files_, size_of_file, nullptr};
  EXPECT_EQ(numpact_table_open_files(nullptr, &source, &none, why_, sizeof why_, nullptr),
            NUMPACT_INVALID_ARGUMENT);
  numpact_context_options options;
  numpact_context_options_init(&options);
  options.max_memory = 10;
  numpact_context* context = nullptr;
  ASSERT_EQ(numpact_context_create(&options, &context, nullptr), NUMPACT_OK);
  source.read = read_file;
  ASSERT_EQ(numpact_table_open_files(context, &source, &none, why_, sizeof why_, nullptr),
            NUMPACT_OK);
  numpact_context_destroy(context);
  std::swap(none, table_);
  query_.columns = nullptr;
  query_.column_count = 0;
  set_where("f = 3000");
  numpact_table_scan* made = nullptr;
  numpact_table_cursor* cursor = nullptr;
  ASSERT_EQ(numpact_table_scan_create(table_, &query_, &made, why_, sizeof why_, nullptr),
            NUMPACT_OK);
  ASSERT_EQ(numpact_table_cursor_create(made, &cursor, nullptr), NUMPACT_OK);
  numpact_table_batch batch;
  batch.struct_size = sizeof batch;
  EXPECT_EQ(numpact_table_cursor_next(cursor, &batch, why_, sizeof why_, nullptr),
            NUMPACT_LIMIT_EXCEEDED);
  numpact_table_cursor_destroy(cursor);
  numpact_table_scan_destroy(made);
  numpact_table_destroy(none);
}

TEST(HalfInC, ToFloat) {
  EXPECT_EQ(numpact_half_to_float(0x3c00), 1.0F);
  EXPECT_EQ(numpact_half_to_float(0x8001), -0x1p-24F);
  EXPECT_TRUE(std::isinf(numpact_half_to_float(0x7c00)));
  EXPECT_TRUE(std::isnan(numpact_half_to_float(0x7e00)));
}

}  // namespace
}  // namespace numpact
