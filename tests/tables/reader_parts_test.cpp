// SPDX-License-Identifier: Apache-2.0
// Reading columns of several parts, against a plain model.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "numpact/table_reader.hpp"
#include "support/random.hpp"
#include "tables/memory_table.hpp"

namespace numpact {
namespace {

using table::Batch;
using table::Cursor;
using table::Failure;
using table::Query;
using table::Reader;
using table::RowRange;
using table::Scan;
using testing::MemoryFiles;
using testing::ModelColumn;
using testing::Random;
using testing::read_all;

// Parts of one row, of less than a chunk, of several, and with a long run of nulls at an end.
const std::vector<std::size_t> kEnds = {1, 2, 40, 1040, 1041, 3300};
constexpr std::size_t kPartRows = 4000;

ModelColumn make_column(const std::string& name, NumberType type, unsigned nulls,
                        std::vector<std::size_t> ends, Random& random, bool is_sorted = false) {
  ModelColumn column;
  column.described.name = name;
  column.described.type = type;
  column.part_ends = std::move(ends);
  const unsigned bits = static_cast<unsigned>(8 * size_of(type));
  for (std::size_t row = 0; row < kPartRows; ++row) {
    const std::uint64_t number = is_sorted ? 3 * row : random.bits(std::min(bits, 12U));
    const bool is_null = nulls == 1   ? random.one_in(3)
                         : nulls == 2 ? row / 500 % 2 == 1  // whole parts are null
                         : nulls == 3 ? row == 1 || row == 1040
                                      : false;
    column.rows.push_back(is_null ? std::nullopt : std::optional(number));
  }
  return column;
}

std::shared_ptr<MemoryFiles> files_of(std::vector<ModelColumn>& columns, TrailerSpec trailer,
                                      MemoryFiles::As as) {
  EncodeConfig config;
  config.level = 1;
  config.trailer = trailer;
  config.paging = PagingSpec::equal_pages_up_to(300);
  auto files = std::make_shared<MemoryFiles>(as);
  for (ModelColumn& column : columns) testing::write_column(files->files, column, config);
  testing::write_manifest(files->files, columns);
  return files;
}

Reader open(const std::shared_ptr<MemoryFiles>& files) {
  Failure failure;
  auto opened = Reader::open(files, {}, &failure);
  EXPECT_TRUE(opened.ok()) << failure.message();
  return opened.value();
}

TEST(TableParts, WindowsOfAllTypesAndNulls) {
  Random random(1);
  for (const auto as :
       {MemoryFiles::As::kMemory, MemoryFiles::As::kRanges, MemoryFiles::As::kShortReads}) {
    for (const TrailerSpec& trailer :
         {TrailerSpec::none(), TrailerSpec::index(), TrailerSpec::restarts(8)}) {
      std::vector<ModelColumn> columns;
      for (const NumberType type : kNumberTypes) {
        for (unsigned nulls = 0; nulls < 4; ++nulls) {
          columns.push_back(make_column("c" + std::to_string(columns.size()), type, nulls, kEnds,
                                        random, size_of(type) > 2));
        }
      }
      const Reader reader = open(files_of(columns, trailer, as));
      Cursor cursor = Cursor::create(Scan::create(reader, {}).value()).value();
      for (std::size_t c = 0; c < columns.size(); ++c) {
        SCOPED_TRACE(c);
        const NumberType type = columns[c].described.type;
        const std::size_t size = size_of(type);
        for (int i = 0; i < 30; ++i) {
          const std::uint64_t first = i == 0 ? 0 : random.below(kPartRows);
          const auto count =
              i == 0 ? kPartRows : static_cast<std::size_t>(random.below(kPartRows - first + 1));
          std::vector<std::byte> out(count * size + 1, std::byte{0xee});
          std::vector<std::uint8_t> valid(count, 7);
          Failure failure;
          ASSERT_TRUE(cursor
                          .read(c, first, MutableNumberView(type, out.data(), count), valid,
                                random.below(kPartRows), &failure)
                          .ok())
              << failure.message();
          EXPECT_EQ(out.back(), std::byte{0xee});
          for (std::size_t row = 0; row < count; ++row) {
            const auto& expected = columns[c].rows[first + row];
            ASSERT_EQ(valid[row], expected ? 1 : 0) << first << " + " << row;
            ASSERT_EQ(testing::load(out.data() + row * size, size), expected.value_or(0));
          }
        }
      }
    }
  }
}

// The rows that a scan gives, each with the value of one column.
std::vector<std::pair<std::uint64_t, std::optional<std::uint64_t>>> scanned(const Scan& scan,
                                                                            NumberType type) {
  std::vector<std::pair<std::uint64_t, std::optional<std::uint64_t>>> rows;
  Cursor cursor = Cursor::create(scan).value();
  cursor.start(scan.all());
  for (Batch batch;;) {
    Failure failure;
    const Status status = cursor.next(batch, &failure);
    EXPECT_TRUE(status.ok()) << failure.message();
    if (!status.ok() || batch.window_rows == 0) return rows;
    std::size_t at = 0;
    const auto* const numbers = static_cast<const std::byte*>(batch.columns[0].numbers.data);
    for (std::uint64_t i = 0; i < batch.window_rows; ++i) {
      if (!batch.kept.empty() && batch.kept[i] == 0) continue;
      const bool is_valid = batch.columns[0].valid.empty() || batch.columns[0].valid[at] != 0;
      const std::uint64_t number = testing::load(numbers + at * size_of(type), size_of(type));
      rows.emplace_back(batch.first_row + i, is_valid ? std::optional(number) : std::nullopt);
      ++at;
    }
  }
}

TEST(TableParts, FiltersSelectTheRowsOfTheModel) {
  Random random(2);
  std::vector<ModelColumn> columns;
  columns.push_back(make_column("sorted", NumberType::kU32, 3, kEnds, random, true));
  columns.push_back(make_column("x", NumberType::kI16, 2, {700, 1041, 3999}, random));
  columns.push_back(make_column("whole", NumberType::kU64, 1, {}, random));
  const auto at = [&](std::size_t column, std::uint64_t row) { return columns[column].rows[row]; };
  struct Case {
    const char* where;
    std::function<bool(std::uint64_t)> matches;
  };
  const Case cases[] = {
      {"sorted < 130", [&](auto row) { return at(0, row) && *at(0, row) < 130; }},
      {"sorted >= 3000 and sorted < 10000 and x > 1000",
       [&](auto row) {
         return at(0, row) && *at(0, row) >= 3000 && *at(0, row) < 10'000 && at(1, row) &&
                *at(1, row) > 1000;
       }},
      {"sorted in (0, 6, 3120, 11997)",
       [&](auto row) {
         return at(0, row) && (*at(0, row) == 0 || *at(0, row) == 6 || *at(0, row) == 3120 ||
                               *at(0, row) == 11'997);
       }},
      {"x is null and whole > 2000",
       [&](auto row) { return !at(1, row) && at(2, row) && *at(2, row) > 2000; }},
      {"sorted is null", [&](auto row) { return !at(0, row); }},
      {"x is not null", [&](auto row) { return at(1, row).has_value(); }},
  };
  for (const auto as : {MemoryFiles::As::kMemory, MemoryFiles::As::kRanges}) {
    const auto files = files_of(columns, TrailerSpec::index(), as);
    const Reader reader = open(files);
    for (const Case& one : cases) {
      SCOPED_TRACE(one.where);
      for (const std::uint64_t window : {std::uint64_t{97}, table::kOtherBatchRows}) {
        const Query query{
            .columns = {1}, .where = reader.conditions(one.where).value(), .window_rows = window};
        std::vector<std::pair<std::uint64_t, std::optional<std::uint64_t>>> expected;
        for (std::uint64_t row = 0; row < kPartRows; ++row) {
          if (one.matches(row)) expected.emplace_back(row, at(1, row));
        }
        EXPECT_EQ(scanned(Scan::create(reader, query).value(), NumberType::kI16), expected);
      }
    }
  }
}

// Parts smaller than what a thread should have are joined.
TEST(TableParts, RangesAreCutAcrossParts) {
  Random random(3);
  for (const TrailerSpec trailer : {TrailerSpec::index(), TrailerSpec::restarts(8)}) {
    std::vector<ModelColumn> columns;
    columns.push_back(make_column("a", NumberType::kI64, 3, kEnds, random, true));
    const auto files = files_of(columns, trailer, MemoryFiles::As::kMemory);
    const Query query{.columns = {0}, .rows = RowRange{1, 3990}, .min_part_rows = 700};
    const Scan scan = Scan::create(open(files), query).value();
    std::uint64_t row = 1;
    for (const RowRange& range : scan.ranges()) {
      EXPECT_EQ(range.first, row);
      EXPECT_GE(range.end - range.first, range.end == 3990 ? 1u : 700u);
      row = range.end;
    }
    EXPECT_EQ(row, 3990u);
    EXPECT_GE(scan.ranges().size(), 4u);
  }
}

TEST(TableParts, FewRequestsOfARemoteTable) {
  Random random(4);
  std::vector<ModelColumn> columns;
  columns.push_back(make_column("a", NumberType::kU64, 0, {1000, 2000, 3000}, random, true));
  columns.push_back(make_column("b", NumberType::kU64, 0, {1000, 2000, 3000}, random));
  const auto files = files_of(columns, TrailerSpec::index(), MemoryFiles::As::kRanges);
  const Reader reader = open(files);
  const Query query{.columns = {1}, .where = reader.conditions("a < 1500").value()};
  EXPECT_EQ(scanned(Scan::create(reader, query).value(), NumberType::kU64).size(), 500u);
  EXPECT_EQ(files->requests.size(), 1u + 4 + 4);  // small files are read whole
}

// ---- damage ----

TEST(TableParts, EachDamagedByteOfSmallFilesIsFound) {
  Random random(5);
  for (const TrailerSpec trailer : {TrailerSpec::none(), TrailerSpec::index()}) {
    for (const auto as : {MemoryFiles::As::kMemory, MemoryFiles::As::kRanges}) {
      std::vector<ModelColumn> columns;
      columns.push_back(make_column("a", NumberType::kI64, 1, {100, 300}, random));
      const auto files = files_of(columns, trailer, as);
      Failure failure;
      ASSERT_TRUE(read_all(files, failure).ok()) << failure.message();
      for (auto& [name, bytes] : files->files) {
        if (name == table::kManifestName) continue;
        for (std::size_t at = 0; at < bytes.size(); at += 1 + bytes.size() / 300) {
          bytes[at] ^= std::byte{1} << (at % 8);
          const Status status = read_all(files, failure);
          bytes[at] ^= std::byte{1} << (at % 8);
          ASSERT_FALSE(status.ok()) << name << " at " << at;
          EXPECT_EQ(failure.file, name);
          EXPECT_EQ(failure.column, "a");
        }
        const testing::Bytes whole = bytes;
        bytes.push_back(std::byte{0});
        EXPECT_EQ(read_all(files, failure).kind(), ErrorKind::kCorrupt) << name;
        bytes = whole;
      }
      // Files of equal counts that took the place of each other.
      testing::Bytes& one = files->files["a.p1.pco"];
      const testing::Bytes old = std::exchange(one, files->files["a.pco"]);
      EXPECT_FALSE(read_all(files, failure).ok());
      one = old;
      EXPECT_TRUE(read_all(files, failure).ok());
    }
  }
}

// Of a file that is not read whole: damage is found, or what is read is right.
TEST(TableParts, DamageOfLargeFilesIsFoundWhereItMatters) {
  Random random(6);
  constexpr std::size_t kMany = 12'000;
  for (const TrailerSpec trailer : {TrailerSpec::none(), TrailerSpec::index()}) {
    for (const auto as : {MemoryFiles::As::kMemory, MemoryFiles::As::kRanges}) {
      std::vector<ModelColumn> columns(1);
      columns[0].described.name = "b";
      columns[0].described.type = NumberType::kU64;
      columns[0].part_ends = {100};
      std::vector<std::uint64_t> expected;
      for (std::size_t row = 0; row < kMany; ++row) {
        expected.push_back(random.bits());
        columns[0].rows.emplace_back(expected.back());
      }
      const auto files = files_of(columns, trailer, as);
      testing::Bytes& bytes = files->files["b.p1.pco"];
      ASSERT_GT(bytes.size(), std::size_t{64} << 10);
      std::size_t found = 0;
      std::size_t tried = 0;
      for (std::size_t at = 0; at < bytes.size();
           at += at < 40 || at + 900 > bytes.size() ? 1 : 977) {
        bytes[at] ^= std::byte{1} << (at % 8);
        std::vector<std::uint64_t> read(kMany);
        Failure failure;
        const Reader reader = open(files);
        Cursor cursor = Cursor::create(Scan::create(reader, {}).value()).value();
        const MutableNumberView out(NumberType::kU64, read.data(), kMany);
        const Status status = cursor.read(0, 0, out, {}, 0, &failure);
        bytes[at] ^= std::byte{1} << (at % 8);
        ++tried;
        if (status.ok()) {
          ASSERT_EQ(read, expected) << at;
        } else {
          ++found;
          EXPECT_EQ(failure.file, "b.p1.pco");
        }
      }
      EXPECT_GT(found + 60, tried);
    }
  }
}

TEST(TableParts, APartOfAnotherTypeOrCountIsRefused) {
  Random random(7);
  std::vector<ModelColumn> columns;
  columns.push_back(make_column("a", NumberType::kI64, 0, {100, 300}, random));
  const std::vector<std::uint8_t> few(200);
  const std::vector<std::int64_t> others(199);
  const auto files = files_of(columns, TrailerSpec::index(), MemoryFiles::As::kMemory);
  auto& parts = columns[0].described.parts;
  Failure failure;
  files->files["a.p1.pco"] = compress(few).value();
  parts[1].sum = {};
  testing::write_manifest(files->files, columns);
  EXPECT_EQ(read_all(files, failure).kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(failure.file, "a.p1.pco");
  EXPECT_NE(failure.text.find("200 u8 numbers, not 200 i64"), std::string::npos) << failure.text;
  files->files["a.p1.pco"] = compress(others).value();
  EXPECT_EQ(read_all(files, failure).kind(), ErrorKind::kCorrupt);
  parts[1].count = 199;
  columns[0].described.count -= 1;
  testing::write_manifest(files->files, columns);
  EXPECT_TRUE(read_all(files, failure).ok()) << failure.message();
}

}  // namespace
}  // namespace numpact
