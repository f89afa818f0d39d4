// SPDX-License-Identifier: Apache-2.0
// Filters of tables: every line of tests/fixtures/filters, and what the lines do not show.
#include "numpact/table_filter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <sstream>

#include "support/filter_fixture.hpp"

namespace numpact {
namespace {

using table::ColumnType;
using table::DecimalFilter;
using table::FilterComparison;
using table::FilterOp;
using table::FilterValue;
using table::Kind;
using table::NumberFilter;
using table::TextFilter;
using table::Unit;
using testing::FilterFixture;
using testing::FixtureColumn;
using testing::FixtureLine;
using Bools = std::vector<bool>;

// Which rows satisfy the comparisons with one column; none if they are refused.
std::optional<Bools> rows_of(const FixtureColumn& column,
                             std::span<const FilterComparison> comparisons) {
  Bools found;
  const auto by_text = [&](const auto& filter) {
    for (const auto& value : column.values) {
      found.push_back(value ? filter.matches(*value) : filter.matches_null());
    }
  };
  std::string message;
  if (const auto type = testing::column_type(column.type)) {
    const auto filter = NumberFilter::bind(comparisons, *type, &message);
    if (!filter.ok()) return std::nullopt;
    const std::size_t size = size_of(type->type);
    std::vector<std::byte> numbers(column.values.size() * size);
    for (std::size_t i = 0; i < column.values.size(); ++i) {
      const std::uint64_t bits = testing::bits_of(column.values[i].value_or("0"), type->type);
      std::memcpy(numbers.data() + i * size, &bits, size);
    }
    std::vector<std::uint8_t> kept(column.values.size(), 1);
    filter->narrow(NumberView(type->type, numbers.data(), kept.size()), kept);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      found.push_back(column.values[i] ? kept[i] != 0 : filter->matches_null());
    }
  } else if (column.type.starts_with("decimal")) {
    const auto filter = DecimalFilter::bind(comparisons, &message);
    if (!filter.ok()) return std::nullopt;
    by_text(*filter);
  } else {
    const bool is_list = column.type == "list";
    for (const FilterComparison& comparison : comparisons) {
      if (is_list && !comparison.values.empty()) return std::nullopt;
    }
    const auto filter = TextFilter::bind(comparisons, false, &message);
    if (!filter.ok()) return std::nullopt;
    by_text(*filter);
  }
  return found;
}

std::string selected(const FilterFixture& fixture, const std::string& filter) {
  const auto parsed = table::parse_filter(filter);
  if (!parsed.ok()) return "refused";
  std::map<std::string, std::vector<FilterComparison>> by_column;
  for (const FilterComparison& comparison : *parsed) {
    by_column[comparison.column].push_back(comparison);
  }
  Bools all(12, true);
  for (const auto& [name, comparisons] : by_column) {
    const auto column = fixture.columns.find(name);
    if (column == fixture.columns.end()) return "refused";
    const auto found = rows_of(column->second, comparisons);
    if (!found) return "refused";
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = all[i] && (*found)[i];
  }
  std::string rows;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i]) rows += (rows.empty() ? "" : " ") + std::to_string(i);
  }
  return rows;
}

TEST(TableFilter, SelectsTheRowsOfTheFixture) {
  const FilterFixture fixture = testing::read_filter_fixture(NUMPACT_FILTERS);
  ASSERT_GT(fixture.lines.size(), 150u);
  ASSERT_GT(fixture.columns.size(), 20u);
  for (const FixtureLine& line : fixture.lines) {
    EXPECT_EQ(selected(fixture, line.filter), line.expected) << line.filter;
  }
}

// ---- the language ----

TEST(TableFilter, Parses) {
  const auto parsed =
      table::parse_filter(
          "a.b=1 AND \"odd \"\"name\"\" \">='it''s' and c IN (2024-01-01, nan , -1e5) and "
          "d is NULL and e is not null and f != true")
          .value();
  ASSERT_EQ(parsed.size(), 6u);
  EXPECT_EQ(parsed[0].column, "a.b");
  EXPECT_EQ(parsed[1].column, "odd \"name\" ");
  EXPECT_EQ(parsed[1].op, FilterOp::kGreaterEqual);
  EXPECT_EQ(parsed[1].values[0].text, "it's");
  ASSERT_EQ(parsed[2].values.size(), 3u);
  EXPECT_EQ(parsed[2].values[0].kind, FilterValue::Kind::kTime);
  EXPECT_EQ(parsed[2].values[2].text, "-1e5");
  EXPECT_EQ(parsed[3].op, FilterOp::kIsNull);
  EXPECT_EQ(parsed[4].op, FilterOp::kIsNotNull);
  EXPECT_EQ(parsed[5].values[0].text, "true");
  // Words that begin with keywords are names and values.
  EXPECT_EQ(table::parse_filter("android=1 and inner>2").value().at(1).column, "inner");
  EXPECT_EQ(table::parse_filter("not = 1 and not in (2)").value().at(1).column, "not");
}

std::string error_of(const std::string& filter) {
  std::string message;
  return table::parse_filter(filter, &message).ok() ? "" : message;
}

TEST(TableFilter, ErrorsSayWhereAndWhatToWrite) {
  const std::pair<const char*, const char*> kCases[] = {
      {"a = ", "a value (text in single quotes) is expected at character 5, not the end"},
      {"= 5", "the name of a column, in double quotes if it is not one word, is expected at"},
      {"a = 5 or b = 6", "'and' or the end is expected at character 7, not 'or b = 6': there is"},
      {"a = 5 or b = 6", "write a in (1, 2)"},
      {"a = 'x", "a text that ends with ' is expected at character 5"},
      {"a in 5", "'(' is expected at character 6"},
      {"a in (5", "',' or ')' is expected"},
      {"a is 5", "'null' is expected at character 6"},
      {"a ~ 5", "=, !=, <, <=, >, >=, 'in' or 'is' is expected at character 3"},
      {"\xc3\xbc = 5", "at character 1"},
      {"\"\xc3\xbc\" ~ 5", "at character 5"},
      {"a <> 5", "write != for '<>'"},
      {"a<>5", "write != for '<>'"},
      {"a =< 5", "write <= for '=<'"},
      {"a => 5", "write >= for '=>'"},
      {"a between 1 and 2", "write a >= 1 and a <= 2"},
      {"a BETWEEN 1 and 2", "write a >= 1 and a <= 2"},
      {"a not in (1)", "write a != 1 and a != 2"},
      {"a like 'x%'", "there is no 'like'"},
      {"not a = 5", "write the opposite comparison"},
      {"a = 1 && b = 2", "write 'and' for '&&'"},
      {"a = 1 | b = 2", "there is no 'or'"},
      {"a = null", "write 'is null'"},
      {"a = \"x\"", "single quotes for text"},
      {"(a = 1)", "no parentheses"},
  };
  for (const auto& [filter, words] : kCases) {
    EXPECT_NE(error_of(filter).find(words), std::string::npos)
        << filter << ": " << error_of(filter);
  }
  std::string message;
  for (const char* const op : {"<>", "between", "like", "not in", "or", "~", "", "is"}) {
    EXPECT_FALSE(table::filter_op_of(op, &message).ok()) << op;
    EXPECT_NE(message.find("is not one of the operators"), std::string::npos);
  }
  EXPECT_EQ(table::filter_op_of("  Is   NOT null ").value(), FilterOp::kIsNotNull);
  EXPECT_EQ(table::filter_op_of("==").value(), FilterOp::kEqual);
}

TEST(TableFilter, MessagesAreShort) {
  std::string filter = "a in (1";
  for (int i = 0; i < 50'000; ++i) filter += ", " + std::to_string(i);
  EXPECT_LT(error_of(filter).size(), 400u);
  const std::string digits(100'000, '7');
  std::string message;
  const auto parsed = table::parse_filter("a = " + digits).value();
  EXPECT_FALSE(NumberFilter::bind(parsed, {NumberType::kI32, Kind::kDate32}, &message).ok());
  EXPECT_LT(message.size(), 400u);
  EXPECT_LT(error_of("a = '" + digits).size(), 400u);
}

// ---- many values, and long ones ----

std::string listed(int count, int step) {
  std::string text = "(0";
  for (int i = 1; i < count; ++i) text += "," + std::to_string(static_cast<std::int64_t>(i) * step);
  return text + ")";
}

TEST(TableFilter, ListsOfValuesAreSearched) {
  // 50,000 values against 200,000 numbers: ten billion comparisons one by one.
  const auto parsed = table::parse_filter("a in " + listed(50'000, 7)).value();
  std::vector<double> numbers(200'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i);
  std::vector<std::uint8_t> kept(numbers.size(), 1);
  const auto filter = NumberFilter::bind(parsed, {NumberType::kF64}).value();
  filter.narrow(numbers, kept);
  for (std::size_t i = 0; i < kept.size(); ++i) ASSERT_EQ(kept[i], i % 7 == 0) << i;
  const auto decimals = DecimalFilter::bind(parsed).value();
  EXPECT_TRUE(decimals.matches("349993.00"));
  EXPECT_FALSE(decimals.matches("349994"));
  EXPECT_FALSE(decimals.matches("350000"));
}

TEST(TableFilter, ConditionsOfAColumnAreJoined) {
  std::string text = "a != 0";
  for (int i = 1; i < 20'000; ++i) text += " and a != " + std::to_string(2 * i);
  const auto parsed = table::parse_filter(text).value();
  const auto filter = NumberFilter::bind(parsed, {NumberType::kU32}).value();
  std::vector<std::uint32_t> numbers(50'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::uint32_t>(i);
  std::vector<std::uint8_t> kept(numbers.size(), 1);
  filter.narrow(numbers, kept);
  for (std::size_t i = 0; i < kept.size(); ++i) ASSERT_EQ(kept[i], i % 2 == 1 || i >= 40'000) << i;
}

TEST(TableFilter, TakesLongLiterals) {
  const std::string ones(100'000, '1');
  const auto parsed = table::parse_filter("a > 0." + ones + " and a < 0." + ones + "2").value();
  const double ninth = 1.0 / 9;
  std::vector<double> numbers = {std::nextafter(ninth, 0.0), ninth, std::nextafter(ninth, 1.0)};
  std::vector<std::uint8_t> kept(3, 1);
  NumberFilter::bind(std::span(parsed).first(1), {NumberType::kF64}).value().narrow(numbers, kept);
  EXPECT_EQ(kept, (std::vector<std::uint8_t>{0, 0, 1}));
  EXPECT_TRUE(DecimalFilter::bind(parsed).value().matches("0." + ones + "1"));
}

// ---- decimals as whole numbers ----

TEST(TableFilter, RangesOfDecimalsHoldTheSameNumbers) {
  const char* const kFilters[] = {"a = 1.5",
                                  "a != 1.5",
                                  "a < 1.5",
                                  "a <= 1.5",
                                  "a > 1.5",
                                  "a >= 1.5",
                                  "a < 0",
                                  "a > 0",
                                  "a <= -0.1",
                                  "a > -0.1",
                                  "a < 0.05",
                                  "a > 0.05",
                                  "a > -0.05",
                                  "a < -9.95",
                                  "a >= 9.9",
                                  "a > 9.9",
                                  "a < 1e30",
                                  "a > 1e30",
                                  "a < -1e30",
                                  "a > -1e30",
                                  "a < inf",
                                  "a <= inf",
                                  "a > -inf",
                                  "a != nan",
                                  "a = nan",
                                  "a in (1, 2.5, 3.33, 9.9)",
                                  "a > -10 and a < 10 and a != 0",
                                  "a >= 9.95",
                                  "a is not null",
                                  "a is null"};
  for (const char* const text : kFilters) {
    const auto filter = DecimalFilter::bind(table::parse_filter(text).value()).value();
    const auto ranges = filter.ranges(2, 1);
    for (int whole = -99; whole <= 99; ++whole) {
      const std::string sign = whole < 0 ? "-" : "";
      const std::string number =
          sign + std::to_string(std::abs(whole) / 10) + "." + std::to_string(std::abs(whole) % 10);
      bool is_found = false;
      for (const auto& [first, last] : ranges) {
        is_found = is_found || (std::stoi(first) <= whole && whole <= std::stoi(last));
      }
      EXPECT_EQ(is_found, filter.matches(number)) << text << ": " << number;
    }
    for (std::size_t i = 1; i < ranges.size(); ++i) {
      EXPECT_GT(std::stoi(ranges[i].first), std::stoi(ranges[i - 1].second)) << text;
    }
  }
}

// ---- chunks that are left out ----

// Whatever the range of a chunk, it must not be left out if one of its numbers matches.
TEST(TableFilter, KeepsChunksThatMatch) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> numbers = {-3, -0.0, 0.0, 0.5, 1, 2.5, 7, nan};
  for (const char* const text :
       {"x = 0", "x < 0", "x <= 0.5", "x > 1", "x >= 7", "x != 1", "x in (2.5, 9)", "x = nan",
        "x != nan", "x > 7", "x != 0 and x != 1", "x in (0, 1, 2, 3, 4, 5, 6, 7)"}) {
    const auto filter =
        NumberFilter::bind(table::parse_filter(text).value(), {NumberType::kF64}).value();
    for (std::size_t first = 0; first < numbers.size(); ++first) {
      for (std::size_t end = first + 1; end <= numbers.size(); ++end) {
        const std::span part = std::span(numbers).subspan(first, end - first);
        ChunkSummary chunk;
        chunk.place.count = part.size();
        chunk.min_latent = ~std::uint64_t{0};
        for (const double number : part) {
          if (std::isnan(number)) {
            ++chunk.nan_count;
            continue;
          }
          chunk.min_latent = std::min(chunk.min_latent, latent_of_number(number));
          chunk.max_latent = std::max(chunk.max_latent, latent_of_number(number));
        }
        std::vector<std::uint8_t> kept(part.size(), 1);
        filter.narrow(part, kept);
        const bool any = std::find(kept.begin(), kept.end(), 1) != kept.end();
        EXPECT_TRUE(!any || filter.may_match(chunk)) << text << " " << first << " " << end;
      }
    }
  }
  ChunkSummary far;
  far.place.count = 5;
  far.min_latent = latent_of_number(10.0);
  far.max_latent = latent_of_number(20.0);
  const auto may_match = [&far](const char* text) {
    return NumberFilter::bind(table::parse_filter(text).value(), {NumberType::kF64})
        .value()
        .may_match(far);
  };
  EXPECT_FALSE(may_match("x < 10"));
  EXPECT_TRUE(may_match("x <= 10"));
  EXPECT_FALSE(may_match("x in (9, 21)"));
  EXPECT_TRUE(may_match("x in (9, 15, 21)"));
  EXPECT_FALSE(may_match("x > 5 and x < 7"));
}

TEST(TableFilter, RefusesWrongCountsOfValues) {
  const std::vector<FilterValue> two(2, FilterValue{FilterValue::Kind::kNumber, "1"});
  const FilterComparison comparisons[] = {
      {"a", FilterOp::kEqual, two}, {"a", FilterOp::kEqual, {}}, {"a", FilterOp::kIsNull, two}};
  for (const FilterComparison& comparison : comparisons) {
    std::string message;
    const auto bound = NumberFilter::bind({&comparison, 1}, {NumberType::kI32}, &message);
    EXPECT_EQ(bound.status().kind(), ErrorKind::kInvalidArgument);
    EXPECT_FALSE(message.empty());
  }
  // Text that is no number is refused, not read.
  const FilterComparison odd{"a", FilterOp::kEqual, {{FilterValue::Kind::kNumber, "x"}}};
  EXPECT_EQ(NumberFilter::bind({&odd, 1}, {NumberType::kF64}).status().kind(),
            ErrorKind::kTypeMismatch);
  EXPECT_TRUE(NumberFilter::bind({}, {NumberType::kF64}).value().matches_null());
}

}  // namespace
}  // namespace numpact
