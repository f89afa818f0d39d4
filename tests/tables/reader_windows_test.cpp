// SPDX-License-Identifier: Apache-2.0
// Scans by several windows over one chunk, which stays open between them.
#include <gtest/gtest.h>

#include <algorithm>

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
using table::Scan;
using testing::MemoryFiles;
using testing::ModelColumn;
using testing::Random;

constexpr std::uint64_t kRows = 300'000;
constexpr std::uint64_t kWindowRows = std::uint64_t{1} << 17;  // of one thread

// Columns "a" of small numbers, "b" that grows, with nulls, and "c" of random bits.
std::vector<ModelColumn> made_columns() {
  Random random(8);
  std::vector<ModelColumn> columns(3);
  const NumberType types[] = {NumberType::kU16, NumberType::kU32, NumberType::kU64};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    columns[i].described.name = std::string(1, static_cast<char>('a' + i));
    columns[i].described.type = types[i];
  }
  for (std::uint64_t row = 0; row < kRows; ++row) {
    columns[0].rows.emplace_back(random.bits(12));
    columns[1].rows.push_back(row / 700 % 3 == 1 ? std::nullopt : std::optional(3 * row));
    columns[2].rows.emplace_back(random.bits(40));
  }
  return columns;
}

std::shared_ptr<MemoryFiles> files_of(std::vector<ModelColumn>& columns, TrailerSpec trailer) {
  auto files = std::make_shared<MemoryFiles>();
  EncodeConfig config;
  config.level = 1;
  config.trailer = trailer;
  config.paging = PagingSpec::equal_pages_up_to(kRows);
  for (ModelColumn& column : columns) testing::write_column(files->files, column, config);
  testing::write_manifest(files->files, columns);
  return files;
}

// The rows that match. `window_rows`: the most of a window.
std::vector<std::uint64_t> scanned(const Reader& reader, const std::vector<ModelColumn>& columns,
                                   const char* where, std::uint64_t& window_rows) {
  const Query query{.columns = {2, 1},
                    .where = reader.conditions(where).value(),
                    .window_rows = std::uint64_t{1} << 19};
  const Scan scan = Scan::create(reader, query).value();
  Cursor cursor = Cursor::create(scan).value();
  cursor.start(scan.all());
  std::vector<std::uint64_t> rows;
  window_rows = 0;
  for (Batch batch;;) {
    EXPECT_TRUE(cursor.next(batch).ok());
    if (batch.window_rows == 0) return rows;
    window_rows = std::max(window_rows, batch.window_rows);
    const std::size_t begin = rows.size();
    for (std::uint64_t i = 0; i < batch.window_rows; ++i) {
      if (batch.kept.empty() || batch.kept[i] != 0) rows.push_back(batch.first_row + i);
    }
    for (std::size_t c = 0; c < query.columns.size(); ++c) {
      const ModelColumn& column = columns[query.columns[c]];
      const std::size_t size = size_of(column.described.type);
      const auto* const numbers = static_cast<const std::byte*>(batch.columns[c].numbers.data);
      EXPECT_EQ(batch.columns[c].numbers.count, rows.size() - begin);
      for (std::size_t i = begin; i < rows.size(); ++i) {
        const std::uint64_t number = testing::load(numbers + (i - begin) * size, size);
        EXPECT_EQ(number, column.rows[rows[i]].value_or(0)) << rows[i];
      }
    }
  }
}

TEST(TableWindows, OfOneThreadShareAChunk) {
  std::vector<ModelColumn> columns = made_columns();
  for (const TrailerSpec trailer : {TrailerSpec::restarts(14), TrailerSpec::index()}) {
    const Reader reader = Reader::open(files_of(columns, trailer)).value();
    // Scattered rows, few, rows with large gaps, and all.
    struct Case {
      const char* where;
      std::uint64_t low;
      std::uint64_t high;
    };
    for (const Case& one : {Case{"a < 40", 0, 39}, Case{"a = 5", 5, 5}, Case{"a >= 0", 0, 4095}}) {
      SCOPED_TRACE(one.where);
      std::vector<std::uint64_t> expected;
      for (std::uint64_t row = 0; row < kRows; ++row) {
        const std::uint64_t number = *columns[0].rows[row];
        if (one.low <= number && number <= one.high) expected.push_back(row);
      }
      std::uint64_t window_rows = 0;
      EXPECT_EQ(scanned(reader, columns, one.where, window_rows), expected);
      EXPECT_EQ(window_rows, kWindowRows);
    }
  }
}

TEST(TableWindows, DamageIsFoundByTheChecksumOfTheChunk) {
  std::vector<ModelColumn> columns = made_columns();
  const auto files = files_of(columns, TrailerSpec::restarts(14));
  testing::Bytes& bytes = files->files["c.pco"];
  Random random(9);
  for (int i = 0; i < 40; ++i) {
    const std::size_t at = 2000 + random.below(bytes.size() / 2);
    bytes[at] ^= std::byte{4};
    Failure failure;
    const Status status = testing::read_all(files, failure);
    bytes[at] ^= std::byte{4};
    EXPECT_EQ(status.kind(), ErrorKind::kChecksum) << at;
    EXPECT_EQ(failure.file, "c.pco");
  }
}

// The chunk that is open is entered anew for rows before those that were read.
TEST(TableWindows, ReadsGoBackAndForth) {
  std::vector<ModelColumn> columns = made_columns();
  for (const TrailerSpec trailer : {TrailerSpec::restarts(8), TrailerSpec::index()}) {
    const Reader reader = Reader::open(files_of(columns, trailer)).value();
    Cursor cursor = Cursor::create(Scan::create(reader, {}).value()).value();
    Random random(10);
    for (int i = 0; i < 1500; ++i) {  // more than the jumps for which a chunk stays open
      const std::uint64_t first = random.below(kRows - 3000);
      std::vector<std::uint64_t> read(1 + random.below(i % 100 == 0 ? 3000 : 4));
      const MutableNumberView out(NumberType::kU64, read.data(), read.size());
      ASSERT_TRUE(cursor.read(2, first, out, {}).ok());
      for (std::size_t k = 0; k < read.size(); ++k) {
        ASSERT_EQ(read[k], *columns[2].rows[first + k]) << first + k;
      }
      if (trailer != TrailerSpec::restarts(8) && i == 40) break;  // each decodes from the start
    }
  }
}

}  // namespace
}  // namespace numpact
