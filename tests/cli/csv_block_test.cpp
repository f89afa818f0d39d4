// SPDX-License-Identifier: Apache-2.0
// The fast paths of CSV compared with the code that defines them: blocks with CsvRecordReader,
// plain numbers and timestamps with literal/literal.hpp.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "csv/block_reader.hpp"
#include "csv/column_part.hpp"
#include "csv/csv_column.hpp"
#include "csv/plain_number.hpp"
#include "csv/plain_time.hpp"
#include "csv/record_block.hpp"
#include "csv/record_reader.hpp"
#include "failure.hpp"
#include "io/spool.hpp"
#include "numpact/stream.hpp"
#include "text/literals.hpp"
#include "text/utf8.hpp"

namespace numpact::cli {
namespace {

using Row = std::vector<std::tuple<std::string, bool, std::uint64_t>>;  // text, is quoted, line

// The rows up to an error or a record of another width; `end` says which.
struct Rows {
  std::vector<Row> rows;
  std::string end;
  bool operator==(const Rows&) const = default;
};

MemorySource source_of(const std::string& text) {
  return MemorySource(std::as_bytes(std::span(text)));
}

Rows by_records(const std::string& text, const CsvDialect& dialect, std::size_t width) {
  Rows found;
  MemorySource source = source_of(text);
  CsvRecordReader reader(source, "t");
  reader.set_dialect(dialect);
  std::vector<CsvField> fields;
  try {
    while (reader.next(fields)) {
      const bool is_empty = fields.size() == 1 && fields[0].text.empty() && !fields[0].is_quoted;
      if (is_empty && width > 1) continue;
      if (fields.size() != width) {
        found.end = "width " + std::to_string(fields[0].line);
        break;
      }
      Row& row = found.rows.emplace_back();
      for (const CsvField& field : fields) {
        row.emplace_back(field.text, field.is_quoted, field.line);
      }
    }
  } catch (const Failure&) {
    found.end = "open quote";
  }
  return found;
}

Rows by_blocks(const std::string& text, const CsvDialect& dialect, std::size_t width,
               std::size_t block_bytes) {
  Rows found;
  MemorySource source = source_of(text);
  CsvRecordReader records(source, "t");
  records.set_dialect(dialect);
  CsvBlockReader reader(records, dialect, block_bytes);
  std::uint64_t line = 1;
  RecordBlock block;
  while (found.end.empty() && reader.next(block)) {
    block.split(dialect, width);
    for (std::size_t r = 0; r < block.rows(); ++r) {
      Row& row = found.rows.emplace_back();
      for (std::size_t c = 0; c < width; ++c) {
        row.emplace_back(block.text(r, c), block.is_quoted(r, c), line + block.line(r, c));
      }
    }
    if (block.stop() == RecordBlock::Stop::kWidth) {
      found.end = "width " + std::to_string(line + block.stop_line());
    } else if (block.stop() != RecordBlock::Stop::kNone) {
      found.end = "open quote";
    }
    line += block.lines();
  }
  return found;
}

TEST(CsvBlocks, HaveTheFieldsOfRecords) {
  const std::vector<std::string> fragments = {
      "1",   "a b",           ",",        ",", "\n",   "\n",     "\r\n", "\r", "\"", "\"\"",
      "x\"", "\"q\n,\"\"r\"", "\"\r\n\"", ";", "12.5", "\"end\""};
  std::mt19937 random(3);
  for (int round = 0; round < 5'000; ++round) {
    std::string text;
    for (auto n = random() % 40; n > 0; --n) text += fragments[random() % fragments.size()];
    CsvDialect dialect;
    if (random() % 4 == 0) dialect.quote.reset();
    if (random() % 4 == 0) dialect.delimiter = ';';
    const std::size_t width = 1 + random() % 3;
    const Rows expected = by_records(text, dialect, width);
    for (const std::size_t bytes : {1, 2, 7, 64, 4096}) {
      ASSERT_EQ(by_blocks(text, dialect, width, bytes), expected)
          << testing::PrintToString(text) << " in blocks of " << bytes;
    }
  }
}

// A text with readable bytes behind it.
std::string padded(std::string text) { return text + "12345678"; }

// Returns whether it was a plain number with an exact float.
template <class T>
bool check_number(const std::string& text, char decimal) {
  const std::string memory = padded(text);
  PlainNumber plain;
  if (!parse_plain({memory.data(), text.size()}, decimal, plain)) return false;
  const Literal literal = parse_literal(text, decimal);
  EXPECT_EQ(literal.kind, plain.is_float ? LiteralKind::kFloat : LiteralKind::kInteger) << text;
  EXPECT_FALSE(literal.leading_zeros || literal.plus_sign) << text;
  if (!plain.is_float) {
    EXPECT_TRUE(literal.fits) << text;
    EXPECT_EQ(literal.magnitude, plain.digits) << text;
    EXPECT_EQ(literal.negative, plain.is_negative) << text;
  }
  T found{};
  if (!nearest_exact(plain, found)) return false;
  T expected{};
  // Whether an integer prints with its digits is the concern of the caller.
  const Fit fit = nearest(literal, decimal, expected);
  if (plain.is_float) {
    EXPECT_EQ(fit, Fit::kExact) << text;
  }
  EXPECT_EQ(std::memcmp(&found, &expected, sizeof found), 0) << text;
  return true;
}

TEST(PlainNumbers, AreWhatLiteralsAre) {
  std::mt19937_64 random(5);
  int exact = 0;
  for (int round = 0; round < 300'000; ++round) {
    std::string digits = std::to_string(random() >> (random() % 64));
    if (random() % 4 == 0) digits.insert(0, std::string(random() % 12, '0'));
    if (random() % 8 == 0) digits += std::string(random() % 6, '0');
    if (random() % 8 != 0) digits.insert(random() % (digits.size() + 1), 1, '.');
    if (random() % 2 == 0) digits.insert(0, 1, '-');
    exact += check_number<double>(digits, '.') ? 1 : 0;
    check_number<float>(digits, '.');
  }
  EXPECT_GT(exact, 100'000);
  for (const char* text : {"",
                           "-",
                           ".",
                           "-.",
                           "-0",
                           "0",
                           "0.0",
                           "-0.0",
                           "5.",
                           ".5",
                           "1e5",
                           "+1",
                           "1..2",
                           "1.2.3",
                           "12a",
                           "9007199254740993",
                           "9007199254740993.0",
                           "4503599627370496.5",
                           "9999999999999999.5",
                           "18446744073709551615"}) {
    check_number<double>(text, '.');
    check_number<float>(text, '.');
  }
}

// Printed doubles and floats, and texts halfway between two of them or a digit away.
TEST(PlainNumbers, AreExactWherePrintedFloatsAre) {
  std::mt19937_64 random(7);
  int exact = 0;
  for (int round = 0; round < 40'000; ++round) {
    const auto wide = static_cast<double>(static_cast<std::int64_t>(random())) /
                      static_cast<double>(std::uint64_t{1} << (20 + random() % 44));
    for (const int places : {12, 15, 17}) {
      char text[512];
      std::snprintf(text, sizeof text, "%.*f", places, wide);
      exact += check_number<double>(text, '.') ? 1 : 0;
      std::snprintf(text, sizeof text, "%.*g", places, wide);
      exact += check_number<double>(text, '.') ? 1 : 0;
      std::snprintf(text, sizeof text, "%.*g", places - 8, wide);
      check_number<float>(text, '.');
    }
  }
  EXPECT_GT(exact, 40'000);
}

TEST(PlainTimes, AreWhatLiteralsAre) {
  const std::vector<std::string> texts = {
      "2024-02-29 12:30:05",       "2024-02-29T23:59:59.999999999",
      "1969-12-31 00:00:00.5",     "2023-02-29 00:00:00",
      "2024-01-01 24:00:00",       "2024-01-01 23:60:00",
      "2024-01-01 23:59:60",       "2024-01-01 2a:00:00",
      "2024-01-01 20:0:000",       "2024-01-01 20;00:00",
      "2024-01-01 20:00:00.",      "2024-01-01 20:00:00.1234567890",
      "2024-01-01 20:00:00Z",      "2024-01-01 20:00:00+01:00",
      "2024-01-01x20:00:00",       "2024-1-01  20:00:00",
      " 024-01-01 20:00:00",       "2024-01-01 20:00:00.000000",
      "2024-01-01 20:00:00.12345", "2024-01-01 20:00:00.1b"};
  PlainClock clock;
  int plain = 0;
  for (const std::string& text : texts) {
    const std::string memory = padded(text);
    Literal found;
    if (!clock.parse({memory.data(), text.size()}, found)) continue;
    ++plain;
    const Literal expected = parse_literal(text, '.');
    EXPECT_EQ(found.kind, expected.kind) << text;
    EXPECT_EQ(found.text, expected.text) << text;
    EXPECT_EQ(found.seconds, expected.seconds) << text;
    EXPECT_EQ(found.nanoseconds, expected.nanoseconds) << text;
    EXPECT_EQ(found.fraction_digits, expected.fraction_digits) << text;
    EXPECT_EQ(found.zoned, expected.zoned) << text;
    EXPECT_EQ(found.too_fine, expected.too_fine) << text;
  }
  EXPECT_EQ(plain, 5);
}

// What a column of CSV becomes: its description, messages, numbers and runs of nulls.
std::string outcome(const CsvColumn& column) {
  const Column description = column.describe("x");
  std::string text = description.source_type + '|' + description.unfit;
  for (const std::string& note : column.notes()) text += '|' + note;
  if (const auto problem = column.problem()) return text + '|' + *problem;
  if (!description.unfit.empty()) return text;
  const std::unique_ptr<NumberInput> numbers = column.open(true);
  text += '|';
  for (NumberView view = numbers->next(); view.count > 0; view = numbers->next()) {
    text += std::string(static_cast<const char*>(view.data), view.count * size_of(view.type));
  }
  text += '|' + std::to_string(numbers->null_count());
  numbers->null_runs()->finish();
  for (const std::uint64_t run : numbers->null_runs()->take()) text += ' ' + std::to_string(run);
  return text;
}

// Columns of one frequent form among which others are: whole blocks make the same column as fields
// that are added one by one.
TEST(ColumnParts, MakeTheColumnOfTheirFields) {
  const std::vector<std::vector<std::string>> forms = {
      {"1", "22", "-333", "12345678", "-123456789012"},
      {"0.5", "-12.25", "123.456789012345", "7", "0.1234567890123456", "-8"},
      {"2024-02-29 12:30:05", "2024-02-29 12:30:05.5", "2024-03-01T00:00:00.123"},
      {"1969-12-31 23:59:59.999999", "1970-01-01 00:00:00", "2262-04-11 23:47:16.854775807"},
      {"2024-02-29", "2024-02-28", "1600-01-01"},
      {"true", "false"}};
  const std::vector<std::string> others = {"",
                                           "-1",
                                           "9007199254740993",
                                           "-9007199254740993",
                                           "9223372036854775808",
                                           "1e3",
                                           "-0",
                                           "18446744073709551615",
                                           "0.30000000000000004",
                                           "2500-01-01 00:00:00.5",
                                           "1.5",
                                           "NA",
                                           "2024-02-29",
                                           "2024-02-29 10:00:00Z",
                                           "2024-02-30",
                                           "007",
                                           "x",
                                           "12:30",
                                           "2024-02-29 12:30:05.1234567",
                                           "-5.0"};
  std::mt19937 random(11);
  for (int round = 0; round < 4'000; ++round) {
    CsvDialect dialect;
    if (random() % 4 == 0) dialect.null_values = {"NA"};
    if (random() % 8 == 0) dialect.null_values = {"22", "0.5"};
    const std::vector<std::string>& form = forms[random() % forms.size()];
    const auto n = 1 + random() % 60;
    const std::size_t rare = std::size_t{2} << (random() % 6);
    std::string text;
    for (std::size_t i = 0; i < n; ++i) {
      text +=
          random() % rare == 0 ? others[random() % others.size()] : form[random() % form.size()];
      text += '\n';
    }
    Spool spool(1 << 20);
    CsvColumn by_parts(dialect, spool, std::nullopt, nullptr);
    CsvColumn by_fields(dialect, spool, std::nullopt, nullptr);
    MemorySource source = source_of(text);
    CsvRecordReader records(source, "t");
    records.set_dialect(dialect);
    CsvBlockReader reader(records, dialect, std::size_t{64} << (random() % 6));
    std::uint64_t line = 1;
    RecordBlock block;
    ColumnPart part;
    while (reader.next(block)) {
      block.split(dialect, 1);
      part.parse(block, 0, by_parts.part_rules());
      by_parts.add_part(part, block, 0, line);
      for (std::size_t r = 0; r < block.rows(); ++r) {
        by_fields.add({block.text(r, 0), block.is_quoted(r, 0), line + block.line(r, 0)});
      }
      line += block.lines();
    }
    by_parts.finish();
    by_fields.finish();
    ASSERT_EQ(outcome(by_parts), outcome(by_fields)) << text;
  }
}

TEST(Utf8, FindsTheFirstBadByteAnywhere) {
  for (std::size_t size = 1; size < 40; ++size) {
    const std::string good(size, 'a');
    EXPECT_EQ(first_not_utf8(good), std::nullopt);
    for (std::size_t at = 0; at < size; ++at) {
      std::string bad = good;
      bad[at] = '\xff';
      EXPECT_EQ(first_not_utf8(bad), at);
    }
  }
}

}  // namespace
}  // namespace numpact::cli
