// SPDX-License-Identifier: Apache-2.0
// Reading tables: windows of rows, filters, requests and threads, against a plain model.
#include "numpact/table_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

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

enum class Nulls { kNone, kAll, kInTurns, kFew, kRuns, kAtEnds };
constexpr Nulls kAllNulls[] = {Nulls::kNone, Nulls::kAll,  Nulls::kInTurns,
                               Nulls::kFew,  Nulls::kRuns, Nulls::kAtEnds};

bool is_null(Nulls nulls, std::size_t row, std::size_t rows, Random& random) {
  switch (nulls) {
    case Nulls::kNone:
      return false;
    case Nulls::kAll:
      return true;
    case Nulls::kInTurns:
      return row % 2 == 0;
    case Nulls::kFew:
      return random.one_in(50);
    case Nulls::kRuns:
      return row / 300 % 2 == 1;
    case Nulls::kAtEnds:
      return row < 5 || row + 5 >= rows;
  }
  return false;
}

ModelColumn make_column(const std::string& name, NumberType type, Nulls nulls, std::size_t rows,
                        Random& random, bool is_sorted = false) {
  ModelColumn column;
  column.described.name = name;
  column.described.type = type;
  const unsigned bits = static_cast<unsigned>(8 * size_of(type));
  for (std::size_t row = 0; row < rows; ++row) {
    const std::uint64_t number = is_sorted ? 3 * row : random.bits(std::min(bits, 12U));
    column.rows.push_back(is_null(nulls, row, rows, random) ? std::nullopt : std::optional(number));
  }
  return column;
}

struct Made {
  std::shared_ptr<MemoryFiles> files;
  std::vector<ModelColumn> columns;

  Reader reader(const DecodeConfig& config = {}) const {
    Failure failure;
    auto opened = Reader::open(files, config, &failure);
    EXPECT_TRUE(opened.ok()) << failure.message();
    return opened.value();
  }
};

Made make_table(std::vector<ModelColumn> columns, const EncodeConfig& config,
                MemoryFiles::As as = MemoryFiles::As::kMemory) {
  Made made{std::make_shared<MemoryFiles>(as), std::move(columns)};
  for (ModelColumn& column : made.columns) {
    testing::write_column(made.files->files, column, config);
  }
  testing::write_manifest(made.files->files, made.columns);
  return made;
}

EncodeConfig config_of(TrailerSpec trailer, std::size_t chunk) {
  EncodeConfig config;
  config.level = 1;
  config.trailer = trailer;
  config.paging = PagingSpec::equal_pages_up_to(chunk);
  return config;
}

// Reads rows by the cursor and compares them with the model.
void expect_rows(Cursor& cursor, const ModelColumn& column, std::size_t position,
                 std::uint64_t first, std::size_t count, std::uint64_t ahead) {
  const std::size_t size = size_of(column.described.type);
  std::vector<std::byte> out(count * size + 1, std::byte{0xee});
  std::vector<std::uint8_t> valid(count, 7);
  Failure failure;
  const Status status =
      cursor.read(position, first, MutableNumberView(column.described.type, out.data(), count),
                  valid, ahead, &failure);
  ASSERT_TRUE(status.ok()) << failure.message();
  EXPECT_EQ(out.back(), std::byte{0xee});
  for (std::size_t i = 0; i < count; ++i) {
    const auto& expected = column.rows[first + i];
    ASSERT_EQ(valid[i], expected ? 1 : 0) << first << " + " << i;
    ASSERT_EQ(testing::load(out.data() + i * size, size), expected.value_or(0)) << first + i;
  }
}

// ---- manifests that the caller has ----

TEST(TableReader, OfAManifestThatIsNotRead) {
  Random random(7);
  std::vector<ModelColumn> columns;
  for (const char* name : {"a", "b"}) {
    columns.push_back(make_column(name, NumberType::kI32, Nulls::kFew, 3000, random));
  }
  Made made = make_table(std::move(columns), config_of(TrailerSpec::index(), 1000));
  table::Manifest manifest = made.reader().manifest();
  manifest.columns.erase(manifest.columns.begin());
  table::Other other;
  other.name = "text";
  other.rows = 3000;
  other.parts.emplace_back().file = "text.arrow";
  manifest.others.push_back(other);
  made.files->files.erase(table::kManifestName);
  made.files->files.erase("a.pco");
  const Reader reader = Reader::open(manifest, made.files).value();
  ASSERT_EQ(reader.columns().size(), 2U);
  EXPECT_EQ(reader.columns()[0].name(), "text");
  EXPECT_EQ(reader.load(0).kind(), ErrorKind::kTypeMismatch);
  Cursor cursor = Cursor::create(Scan::create(reader, {.columns = {1}}).value()).value();
  expect_rows(cursor, made.columns[1], 1, 1500, 1000, 0);
  const auto kind_of = [&] { return Reader::open(manifest, made.files).status().kind(); };
  manifest.others[0].position = 2;
  EXPECT_EQ(kind_of(), ErrorKind::kInvalidArgument);
  manifest.others[0] = {};
  EXPECT_EQ(kind_of(), ErrorKind::kInvalidArgument);
  EXPECT_EQ(Reader::open(table::Manifest(), nullptr).status().kind(), ErrorKind::kInvalidArgument);
}

// ---- files of a folder ----

TEST(TableReader, AFileOfAFolderIsMapped) {
  const std::string folder = ::testing::TempDir() + "numpact_open_file_in";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  std::ofstream(folder + "/a") << "seven..";
  std::ofstream(folder + "/b") << "";
  const auto file = table::open_file_in(folder, "a");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->source->bytes()->size(), 7U);
  EXPECT_NE(file->changed, 0);
  EXPECT_EQ(table::open_file_in(folder, "b")->source->size(), 0U);
  Failure failure;
  EXPECT_EQ(table::open_file_in(folder, "c", &failure).status().kind(), ErrorKind::kIo);
  EXPECT_EQ(failure.file, folder + "/c");
  EXPECT_FALSE(table::open_file_in(folder + "/none", "a").ok());
  EXPECT_EQ(table::open_file_in(folder, "../a").status().kind(), ErrorKind::kInvalidArgument);
  std::filesystem::remove_all(folder);
}

// ---- windows ----

TEST(TableReader, WindowsOfAllTypesAndNulls) {
  constexpr std::size_t kRows = 5000;
  Random random(1);
  const TrailerSpec trailers[] = {TrailerSpec::none(), TrailerSpec::index(),
                                  TrailerSpec::restarts(8)};
  for (const auto as :
       {MemoryFiles::As::kMemory, MemoryFiles::As::kRanges, MemoryFiles::As::kShortReads}) {
    for (const TrailerSpec& trailer : trailers) {
      std::vector<ModelColumn> columns;
      for (const Nulls nulls : kAllNulls) {
        for (const NumberType type : kNumberTypes) {
          columns.push_back(make_column("c" + std::to_string(columns.size()), type, nulls, kRows,
                                        random, size_of(type) > 2));
        }
      }
      const Made made = make_table(std::move(columns), config_of(trailer, 700), as);
      const Reader reader = made.reader();
      Cursor cursor = Cursor::create(Scan::create(reader, {}).value()).value();
      for (std::size_t c = 0; c < made.columns.size(); ++c) {
        SCOPED_TRACE(c);
        expect_rows(cursor, made.columns[c], c, 0, kRows, 0);
        for (int i = 0; i < 10; ++i) {
          const std::uint64_t first = random.below(kRows);
          const auto count = static_cast<std::size_t>(random.below(kRows - first + 1));
          expect_rows(cursor, made.columns[c], c, first, count, random.below(kRows));
        }
        // As engines read: small windows, one after the other.
        for (std::uint64_t first = 0; first < kRows; first += 333) {
          expect_rows(cursor, made.columns[c], c, first, std::min<std::size_t>(333, kRows - first),
                      kRows);
        }
      }
    }
  }
}

TEST(TableReader, SchemaAndNames) {
  Random random(2);
  std::vector<ModelColumn> columns;
  for (const char* name : {"a", "b", "a"}) {
    columns.push_back(make_column(name, NumberType::kI32, Nulls::kNone, 10, random));
    columns.back().described.name = name;
  }
  Made made = make_table(std::move(columns), config_of({}, 100));
  const Reader reader = made.reader();
  ASSERT_EQ(reader.columns().size(), 3u);
  EXPECT_EQ(reader.columns()[1].numbers->type, NumberType::kI32);
  EXPECT_EQ(reader.columns()[1].rows(), 10u);
  EXPECT_EQ(reader.find("b").value(), 1u);
  Failure failure;
  EXPECT_EQ(reader.find("a", &failure).status().kind(), ErrorKind::kInvalidArgument);
  EXPECT_EQ(failure.message(), "column \"a\": several columns have this name");
  EXPECT_FALSE(reader.find("c", &failure).ok());
  EXPECT_EQ(failure.message(), "column \"c\": no column has this name");
  EXPECT_FALSE(reader.conditions("b >", &failure).ok());
  EXPECT_NE(failure.text.find("a value"), std::string::npos) << failure.text;
  const Query query{.where = reader.conditions("b = 'x'").value()};
  EXPECT_EQ(Scan::create(reader, query, &failure).status().kind(), ErrorKind::kTypeMismatch);
  EXPECT_NE(failure.text.find("column 'b' is of type i32"), std::string::npos) << failure.text;
}

// ---- scans ----

// All rows that match, by batches; compares the values with the model.
std::vector<std::uint64_t> scanned(const Made& made, const Scan& scan, const Query& query,
                                   const RowRange& range) {
  std::vector<std::uint64_t> rows;
  Cursor cursor = Cursor::create(scan).value();
  cursor.start(range);
  Batch batch;
  for (;;) {
    Failure failure;
    const Status status = cursor.next(batch, &failure);
    EXPECT_TRUE(status.ok()) << failure.message();
    if (!status.ok() || batch.window_rows == 0) return rows;
    const std::size_t begin = rows.size();
    for (std::uint64_t i = 0; i < batch.window_rows; ++i) {
      if (batch.kept.empty() || batch.kept[i] != 0) rows.push_back(batch.first_row + i);
    }
    EXPECT_EQ(rows.size() - begin, batch.rows);
    for (std::size_t c = 0; c < query.columns.size(); ++c) {
      const ModelColumn& column = made.columns[query.columns[c]];
      const std::size_t size = size_of(column.described.type);
      const auto* const numbers = static_cast<const std::byte*>(batch.columns[c].numbers.data);
      EXPECT_EQ(batch.columns[c].numbers.count, batch.rows);
      for (std::size_t i = 0; i < batch.rows; ++i) {
        const auto& expected = column.rows[rows[begin + i]];
        const bool is_valid = batch.columns[c].valid.empty() || batch.columns[c].valid[i] != 0;
        EXPECT_EQ(is_valid, expected.has_value());
        EXPECT_EQ(testing::load(numbers + i * size, size), expected.value_or(0));
      }
    }
  }
}

TEST(TableReader, FiltersSelectTheRowsOfTheModel) {
  constexpr std::size_t kRows = 20'000;
  Random random(3);
  std::vector<ModelColumn> columns;
  columns.push_back(make_column("sorted", NumberType::kU32, Nulls::kFew, kRows, random, true));
  columns.push_back(make_column("x", NumberType::kI16, Nulls::kRuns, kRows, random));
  columns.push_back(make_column("y", NumberType::kU64, Nulls::kNone, kRows, random));
  columns.push_back(make_column("z", NumberType::kU8, Nulls::kInTurns, kRows, random));
  const Made made = make_table(std::move(columns), config_of(TrailerSpec::index(), 1000),
                               MemoryFiles::As::kRanges);
  const Reader reader = made.reader();
  const auto at = [&](std::size_t column, std::uint64_t row) {
    return made.columns[column].rows[row];
  };
  struct Case {
    const char* where;
    std::function<bool(std::uint64_t)> matches;
  };
  const Case cases[] = {
      {"sorted < 900", [&](auto row) { return at(0, row) && *at(0, row) < 900; }},
      {"sorted >= 30000 and sorted < 36000 and x > 1000",
       [&](auto row) {
         return at(0, row) && *at(0, row) >= 30'000 && *at(0, row) < 36'000 && at(1, row) &&
                *at(1, row) > 1000;
       }},
      {"sorted in (3, 6, 59997, 30000)",
       [&](auto row) {
         const auto v = at(0, row);
         return v && (*v == 3 || *v == 6 || *v == 59'997 || *v == 30'000);
       }},
      {"x is null and y > 4000", [&](auto row) { return !at(1, row) && *at(2, row) > 4000; }},
      {"x is not null", [&](auto row) { return at(1, row).has_value(); }},
      {"y is null", [&](auto) { return false; }},
      {"y = 5000", [&](auto) { return false; }},
      {"z != 7", [&](auto row) { return at(3, row) && *at(3, row) != 7; }},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.where);
    for (const std::uint64_t window :
         {std::uint64_t{97}, std::uint64_t{4096}, table::kOtherBatchRows}) {
      const Query query{.columns = {1, 0, 3, 0},
                        .where = reader.conditions(one.where).value(),
                        .window_rows = window};
      const Scan scan = Scan::create(reader, query).value();
      std::vector<std::uint64_t> expected;
      for (std::uint64_t row = 0; row < kRows; ++row) {
        if (one.matches(row)) expected.push_back(row);
      }
      EXPECT_EQ(scanned(made, scan, query, scan.all()), expected);
      // In parts, as threads read, the same.
      std::vector<std::uint64_t> joined;
      for (std::uint64_t first = 0; first < kRows; first += 3333) {
        const auto part = scanned(made, scan, query, {first, std::min(first + 3333, scan.rows())});
        joined.insert(joined.end(), part.begin(), part.end());
      }
      EXPECT_EQ(joined, expected);
    }
  }
}

TEST(TableReader, RangesAndParts) {
  Random random(4);
  std::vector<ModelColumn> columns;
  columns.push_back(make_column("a", NumberType::kI64, Nulls::kRuns, 10'000, random, true));
  for (const TrailerSpec trailer : {TrailerSpec::index(), TrailerSpec::restarts(8)}) {
    const Made made = make_table(columns, config_of(trailer, 1000));
    const Reader reader = made.reader();
    Query query{.columns = {0}, .rows = RowRange{123, 9000}, .min_part_rows = 700};
    const Scan scan = Scan::create(reader, query).value();
    std::uint64_t row = 123;
    for (const RowRange& part : scan.ranges()) {
      EXPECT_EQ(part.first, row);
      EXPECT_GT(part.end, part.first);
      row = part.end;
    }
    EXPECT_EQ(row, 9000u);
    EXPECT_GE(scan.ranges().size(), 4u);
    query.rows = RowRange{0, 10'001};
    Failure failure;
    EXPECT_EQ(Scan::create(reader, query, &failure).status().kind(), ErrorKind::kInvalidArgument);
    EXPECT_NE(failure.text.find("10000 rows"), std::string::npos);
    EXPECT_EQ(Scan::create(reader, Query{.columns = {1}}).status().kind(),
              ErrorKind::kInvalidArgument);
  }
}

// For engines that compare the rows again: NaNs keep a chunk, and stored numbers are exact.
TEST(TableReader, StoredNumbersAndNaNs) {
  ModelColumn column;
  column.described.name = "f";
  column.described.type = NumberType::kF32;
  for (int i = 0; i < 3000; ++i) {
    const float number = i < 1000 ? 0.1F : i < 2000 ? std::nanf("") : 5.0F;
    column.rows.emplace_back(std::bit_cast<std::uint32_t>(number));
  }
  ModelColumn day;
  day.described.name = "day";
  day.described.type = NumberType::kI32;
  day.described.kind = table::Kind::kDate32;
  for (int i = 0; i < 3000; ++i) day.rows.emplace_back(static_cast<std::uint64_t>(i));
  const Made made = make_table({column, day}, config_of(TrailerSpec::index(), 1000));
  const Reader reader = made.reader();
  const auto rows = [&](std::size_t at, table::FilterOp op, const char* text, bool nans) {
    const table::FilterComparison comparison{"", op, {{table::FilterValue::Kind::kStored, text}}};
    const Query query{.where = {{at, comparison}}, .nan_may_match = nans};
    const Scan scan = Scan::create(reader, query).value();
    return std::vector<RowRange>(scan.ranges().begin(), scan.ranges().end());
  };
  using Ranges = std::vector<RowRange>;
  using table::FilterOp;
  // 0.1 as a float is more than as a double, which a stored number is.
  EXPECT_EQ(rows(0, FilterOp::kGreater, "0.1", false), (Ranges{{0, 1000}, {2000, 3000}}));
  EXPECT_EQ(rows(0, FilterOp::kLessEqual, "0.1", false), Ranges{});
  EXPECT_EQ(rows(0, FilterOp::kEqual, "0.1", true), (Ranges{{1000, 2000}}));
  EXPECT_EQ(rows(0, FilterOp::kEqual, "5", false), (Ranges{{2000, 3000}}));
  EXPECT_EQ(rows(0, FilterOp::kEqual, "nan", false), (Ranges{{1000, 2000}}));
  EXPECT_EQ(rows(0, FilterOp::kLess, "1e400", false), (Ranges{{0, 1000}, {2000, 3000}}));
  EXPECT_EQ(rows(1, FilterOp::kLess, "1000", false), (Ranges{{0, 1000}}));
  EXPECT_EQ(rows(1, FilterOp::kGreaterEqual, "1999.5", false), (Ranges{{2000, 3000}}));
}

TEST(TableReader, ColumnsThatLostNullsAreReadAlone) {
  Random random(5);
  std::vector<ModelColumn> columns;
  columns.push_back(make_column("a", NumberType::kI64, Nulls::kNone, 100, random));
  columns.push_back(make_column("b", NumberType::kI64, Nulls::kNone, 90, random));
  columns.push_back(make_column("c", NumberType::kI64, Nulls::kNone, 100, random));
  columns[1].described.nulls_dropped = 10;
  const Made made = make_table(std::move(columns), config_of({}, 1000));
  const Reader reader = made.reader();
  const auto open = [&](std::vector<std::size_t> which) {
    return Scan::create(reader, Query{.columns = std::move(which)}).status().kind();
  };
  EXPECT_EQ(open({0}), ErrorKind::kNone);
  EXPECT_EQ(open({1}), ErrorKind::kNone);
  EXPECT_EQ(open({0, 2}), ErrorKind::kNone);
  EXPECT_EQ(open({0, 1}), ErrorKind::kInvalidArgument);
  EXPECT_EQ(open({}), ErrorKind::kInvalidArgument);
}

// ---- requests ----

TEST(TableReader, RequestsOfARemoteTable) {
  constexpr std::size_t kRows = 200'000;
  Random random(6);
  std::vector<ModelColumn> columns;
  for (int c = 0; c < 20; ++c) {
    columns.push_back(make_column("c" + std::to_string(c), NumberType::kU64, Nulls::kNone, kRows,
                                  random, c == 3));
    for (auto& row : columns.back().rows) {
      if (c != 3) row = random.bits();  // no end of a file has all of it
    }
  }
  const Made made = make_table(std::move(columns), config_of(TrailerSpec::index(), 10'000),
                               MemoryFiles::As::kRanges);
  auto& requests = made.files->requests;
  const Reader reader = made.reader();
  EXPECT_EQ(requests.size(), 1u);  // the manifest
  // Three runs of chunks: the second to third, the ninth, and the last two.
  const Query query{
      .columns = {7, 12},
      .where =
          reader.conditions("c3 in (33000, 45000, 66000, 240000, 241002, 570600, 599001, 597000)")
              .value()};
  const Scan scan = Scan::create(reader, query).value();
  EXPECT_EQ(requests.size(), 4u);  // and the ends of three columns
  EXPECT_EQ(scan.ranges().size(), 3u);
  EXPECT_EQ(scanned(made, scan, query, scan.all()).size(), 8u);
  EXPECT_LE(requests.size(), 1u + 3 + 3 * 3);
  EXPECT_EQ(made.files->requests_of("c7.pco"), 4u);
  EXPECT_EQ(made.files->requests_of("c1.pco"), 0u);
  std::uint64_t bytes = 0;
  for (const auto& request : requests) {
    if (request.file == "c7.pco") bytes += request.size;
  }
  EXPECT_LT(bytes, made.files->files["c7.pco"].size() / 2);
  // A second cursor reads chunks again, but no trailer.
  const std::size_t before = requests.size();
  scanned(made, scan, query, scan.all());
  EXPECT_LE(requests.size() - before, 9u);
  // All rows: one request for a column, as they fit into one.
  requests.clear();
  const Query all{.columns = {7}};
  const Scan whole = Scan::create(reader, all).value();
  EXPECT_EQ(scanned(made, whole, all, whole.all()).size(), kRows);
  EXPECT_EQ(requests.size(), 1u);
}

TEST(TableReader, ThreadsShareAScan) {
  constexpr std::size_t kRows = 30'000;
  Random random(7);
  std::vector<ModelColumn> columns;
  columns.push_back(make_column("a", NumberType::kI64, Nulls::kFew, kRows, random, true));
  columns.push_back(make_column("b", NumberType::kF32, Nulls::kInTurns, kRows, random));
  for (const auto as : {MemoryFiles::As::kMemory, MemoryFiles::As::kRanges}) {
    const Made made = make_table(columns, config_of(TrailerSpec::restarts(8), 3000), as);
    const Reader reader = made.reader();
    // Columns are opened by whoever comes first.
    const Scan scan = Scan::create(reader, {}).value();
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        const Query query{.columns = {0, 1}, .where = reader.conditions("a >= 300").value()};
        const Scan own = Scan::create(reader, query).value();
        Random position(static_cast<std::uint64_t>(t));
        Cursor cursor = Cursor::create(scan).value();
        for (int i = 0; i < 30; ++i) {
          const std::uint64_t first = position.below(kRows);
          const auto count = static_cast<std::size_t>(position.below(kRows - first));
          for (const std::size_t c : {0, 1}) {
            expect_rows(cursor, made.columns[c], c, first, count, kRows);
          }
        }
        scanned(made, own, query, own.all());
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

TEST(TableReader, PacksValidity) {
  const std::vector<std::uint8_t> valid = {1, 0, 1, 1, 0, 0, 0, 1, 0, 9};
  std::vector<std::uint8_t> bits(2, 0xff);
  table::pack_validity(valid, bits);
  EXPECT_EQ(bits, (std::vector<std::uint8_t>{0x8d, 0x02}));
}

// ---- damage ----

Made small_table(MemoryFiles::As as) {
  Random random(8);
  std::vector<ModelColumn> columns;
  columns.push_back(make_column("a", NumberType::kI64, Nulls::kFew, 900, random, true));
  columns.push_back(make_column("b", NumberType::kU8, Nulls::kNone, 900, random));
  return make_table(std::move(columns), config_of(TrailerSpec::restarts(8), 300), as);
}

TEST(TableReader, DamageIsAnErrorOfItsFile) {
  for (const auto as : {MemoryFiles::As::kMemory, MemoryFiles::As::kRanges}) {
    const Made made = small_table(as);
    std::size_t errors = 0;
    for (auto& [name, bytes] : made.files->files) {
      for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const std::byte old = bytes[at];
        bytes[at] ^= std::byte{1} << (at % 8);
        Failure failure;
        const Status status = read_all(made.files, failure);
        bytes[at] = old;
        if (status.ok()) continue;
        ++errors;
        EXPECT_EQ(failure.file.empty(), false);
        EXPECT_FALSE(failure.text.empty());
        if (name == table::kManifestName) continue;
        EXPECT_EQ(failure.file, name) << failure.message();
        EXPECT_EQ(failure.column, name.substr(0, 1)) << failure.message();
      }
      const testing::Bytes whole = bytes;
      for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{9}}) {
        bytes.resize(size);
        Failure failure;
        EXPECT_FALSE(read_all(made.files, failure).ok()) << name << size;
        bytes = whole;
      }
    }
    EXPECT_GT(errors, 100u);
  }
}

// What is said and what is there.
TEST(TableReader, ContradictionsAreTyped) {
  const auto outcome = [](const std::function<void(std::map<std::string, testing::Bytes>&)>& change,
                          std::string& message) {
    const Made made = small_table(MemoryFiles::As::kRanges);
    change(made.files->files);
    Failure failure;
    const ErrorKind kind = read_all(made.files, failure).kind();
    message = failure.message();
    return kind;
  };
  using Files = std::map<std::string, testing::Bytes>;
  std::string message;
  const std::vector<std::uint8_t> few = {1, 2, 3};
  EXPECT_EQ(outcome([&](Files& files) { files["b.pco"] = compress(few).value(); }, message),
            ErrorKind::kCorrupt);
  EXPECT_NE(message.find("b.pco, column \"b\": corrupt: has another type or count than the manifest"
                         " says: 3 u8 numbers, not 900 u8"),
            std::string::npos)
      << message;
  const std::vector<std::uint64_t> runs = {1, ~std::uint64_t{0}, 3};
  EXPECT_EQ(outcome([&](Files& files) { files["a.nulls.pco"] = compress(runs).value(); }, message),
            ErrorKind::kCorrupt);
  EXPECT_NE(message.find("a.nulls.pco, column \"a\""), std::string::npos) << message;
  EXPECT_EQ(outcome([&](Files& files) { files["a.nulls.pco"] = compress(few).value(); }, message),
            ErrorKind::kCorrupt);
  EXPECT_NE(message.find("u64"), std::string::npos) << message;
  EXPECT_EQ(outcome([](Files& files) { files.erase("a.nulls.pco"); }, message), ErrorKind::kIo);
  EXPECT_EQ(message, "a.nulls.pco, column \"a\": no such file");
  EXPECT_EQ(outcome([](Files& files) { files.erase(table::kManifestName); }, message),
            ErrorKind::kIo);
}

// A file of nulls of a few hundred bytes stands for 2^21 runs, which need as many bytes.
TEST(TableReader, LimitsBoundTheMemoryOfNulls) {
  ModelColumn column;
  column.described.name = "a";
  column.described.type = NumberType::kU8;
  for (std::size_t row = 0; row < std::size_t{1} << 21; ++row) {
    column.rows.push_back(row % 2 == 0 ? std::optional<std::uint64_t>(7) : std::nullopt);
  }
  const Made made = make_table({column}, config_of(TrailerSpec::index(), 1 << 20));
  EXPECT_LT(made.files->files["a.nulls.pco"].size(), 1000u);
  Failure failure;
  DecodeConfig limited;
  limited.limits.max_memory = std::uint64_t{1} << 20;
  EXPECT_EQ(made.reader(limited).load(0, &failure).kind(), ErrorKind::kLimitExceeded);
  EXPECT_EQ(failure.file, "a.nulls.pco");
  limited.limits.max_memory = std::uint64_t{1} << 23;
  EXPECT_TRUE(made.reader(limited).load(0).ok());
}

}  // namespace
}  // namespace numpact
