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
using table::FilterJoin;
using table::FilterOp;
using table::FilterValue;
using table::Kind;
using table::NumberFilter;
using table::PairFilter;
using table::TextFilter;
using table::Unit;
using testing::FilterFixture;
using testing::FixtureColumn;
using testing::FixtureLine;
using Bools = std::vector<bool>;

// The numbers of a column as they are stored.
std::vector<std::byte> numbers_of(const FixtureColumn& column, NumberType type) {
  const std::size_t size = size_of(type);
  std::vector<std::byte> numbers(column.values.size() * size);
  for (std::size_t i = 0; i < column.values.size(); ++i) {
    const std::uint64_t bits = testing::bits_of(column.values[i].value_or("0"), type);
    std::memcpy(numbers.data() + i * size, &bits, size);
  }
  return numbers;
}

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
    const auto numbers = numbers_of(column, type->type);
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

std::optional<Bools> rows_of_pair(const FixtureColumn& a, const FixtureColumn& b,
                                  const FilterComparison& comparison) {
  const auto type = testing::column_type(a.type);
  const auto other = testing::column_type(b.type);
  if (!type || !other) return std::nullopt;
  std::string message;
  const auto filter = PairFilter::bind(comparison, *type, *other, &message);
  if (!filter.ok()) return std::nullopt;
  const auto x = numbers_of(a, type->type);
  const auto y = numbers_of(b, type->type);
  std::vector<std::uint8_t> kept(a.values.size(), 1);
  filter->narrow(NumberView(type->type, x.data(), kept.size()),
                 NumberView(type->type, y.data(), kept.size()), kept);
  Bools found;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    found.push_back(a.values[i] && b.values[i] && kept[i] != 0);
  }
  return found;
}

// The rows of comparisons with one column, or of one comparison of two.
std::optional<Bools> rows_of(const FilterFixture& fixture,
                             std::span<const FilterComparison> comparisons) {
  const auto column = fixture.columns.find(comparisons[0].column);
  if (column == fixture.columns.end()) return std::nullopt;
  if (!comparisons[0].other) return rows_of(column->second, comparisons);
  const auto other = fixture.columns.find(*comparisons[0].other);
  if (other == fixture.columns.end()) return std::nullopt;
  return rows_of_pair(column->second, other->second, comparisons[0]);
}

// The rows of a clause: of one column at once, else of each comparison.
std::optional<Bools> rows_of_clause(const FilterFixture& fixture,
                                    std::span<const FilterComparison> clause) {
  const bool is_one = std::all_of(clause.begin(), clause.end(), [&](const auto& one) {
    return !one.other && one.column == clause[0].column;
  });
  if (is_one) return rows_of(fixture, clause);
  Bools any(12, false);
  Bools all;
  const auto close = [&] {
    for (std::size_t i = 0; i < all.size(); ++i) any[i] = any[i] || all[i];
    all.assign(12, true);
  };
  for (const FilterComparison& comparison : clause) {
    if (comparison.join != FilterJoin::kWith) close();
    const auto found = rows_of(fixture, std::span(&comparison, 1));
    if (!found) return std::nullopt;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = all[i] && (*found)[i];
  }
  close();
  return any;
}

std::string selected(const FilterFixture& fixture, const std::string& filter) {
  const auto parsed = table::parse_filter(filter);
  if (!parsed.ok()) return "refused";
  Bools all(12, true);
  for (std::size_t first = 0, end = 0; first < parsed->size(); first = end) {
    for (end = first + 1; end < parsed->size(); ++end) {
      if ((*parsed)[end].join == FilterJoin::kClause) break;
    }
    const auto found = rows_of_clause(fixture, std::span(*parsed).subspan(first, end - first));
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

// How comparisons are joined: "a+b|c&d" is a and (b or c and d).
std::string joins_of(const std::string& filter) {
  std::string made;
  for (const FilterComparison& one : table::parse_filter(filter).value()) {
    const char* const kSigns = "+|&";
    if (!made.empty()) made += kSigns[static_cast<int>(one.join)];
    made += (one.negated ? "!" : "") + one.column;
  }
  return made;
}

TEST(TableFilter, JoinsComparisons) {
  EXPECT_EQ(joins_of("a = 1 and b = 2 or c = 3"), "a&b|c");
  EXPECT_EQ(joins_of("a = 1 and (b = 2 or c = 3)"), "a+b|c");
  EXPECT_EQ(joins_of("a = 1 and (b = 2 or c = 3 and d = 4)"), "a+b|c&d");
  EXPECT_EQ(joins_of("a = 1 or (b = 2 and (c = 3 or d = 4))"), "a|b&c|b&d");
  EXPECT_EQ(joins_of("not (a = 1 or b < 2)"), "!a+!b");
  EXPECT_EQ(joins_of("not (a = 1 and not b < 2)"), "!a|b");
  EXPECT_EQ(joins_of("a not between 1 and 2 and b not in (1)"), "!a|!a+!b");
  EXPECT_EQ(table::parse_filter("not a is null").value()[0].op, FilterOp::kIsNotNull);
  EXPECT_EQ(table::parse_filter("a < b").value()[0].other, "b");
  EXPECT_EQ(table::parse_filter("a < \"b \"").value()[0].other, "b ");
  // Parentheses that hold nothing but others do not multiply out.
  std::string deep = "a = 1";
  for (int i = 0; i < 90; ++i) deep = "(" + deep + " or b = 2)";
  EXPECT_EQ(table::parse_filter(deep).value().size(), 91u);
}

TEST(TableFilter, BoundsWhatIsMultipliedOut) {
  // (a = 0 or b = 0) and (a = 1 or b = 1) ...: 2^40 combinations within an `or`.
  std::string pairs = "(a = 0 or b = 0)";
  for (int i = 1; i < 40; ++i) {
    pairs += " and (a = " + std::to_string(i) + " or b = " + std::to_string(i) + ")";
  }
  EXPECT_EQ(table::parse_filter(pairs).value().size(), 80u);
  std::string message;
  const auto parsed = table::parse_filter("c = 1 or " + pairs, &message);
  EXPECT_EQ(parsed.status().kind(), ErrorKind::kInvalidArgument);
  EXPECT_NE(message.find("has too many combinations of 'or' within 'and' within 'or'"),
            std::string::npos);
  EXPECT_LT(message.size(), 300u);
  const std::string open(100'000, '(');
  EXPECT_EQ(table::parse_filter(open + "a = 1").status().kind(), ErrorKind::kInvalidArgument);
  std::string nots;
  for (int i = 0; i < 10'001; ++i) nots += "not ";
  EXPECT_TRUE(table::parse_filter(nots + "a = 1").value()[0].negated);
  std::string many = "a = 0";
  for (int i = 0; i < 50'000; ++i) many += " or b = " + std::to_string(i);
  EXPECT_EQ(table::parse_filter(many).value().size(), 50'001u);
}

std::string error_of(const std::string& filter) {
  std::string message;
  return table::parse_filter(filter, &message).ok() ? "" : message;
}

TEST(TableFilter, ErrorsSayWhereAndWhatToWrite) {
  const std::pair<const char*, const char*> kCases[] = {
      {"a = ", "a value (text in single quotes) is expected at character 5, not the end"},
      {"= 5", "the name of a column, in double quotes if it is not one word, is expected at"},
      {"a = 5 or", "the name of a column, in double quotes if it is not one word, is expected at"},
      {"(a = 5 or b = 6", "'and', 'or' or ')' is expected at character 16, not the end"},
      {"a = 5) or b = 6", "'and', 'or' or the end is expected at character 6, not ') or b = 6'"},
      {"a = 'x", "a text that ends with ' is expected at character 5"},
      {"a in 5", "'(' is expected at character 6"},
      {"a in (5", "',' or ')' is expected"},
      {"a is 5", "'null' is expected at character 6"},
      {"a ~ 5", "=, !=, <, <=, >, >=, 'in', 'like', 'between' or 'is' is expected at character 3"},
      {"\xc3\xbc = 5", "at character 1"},
      {"\"\xc3\xbc\" ~ 5", "at character 5"},
      {"a <> 5", "write != for '<>'"},
      {"a<>5", "write != for '<>'"},
      {"a =< 5", "write <= for '=<'"},
      {"a => 5", "write >= for '=>'"},
      {"a between 1", "'and' is expected at character 12, not the end"},
      {"a not 5", "'in', 'like' or 'between' is expected at character 7"},
      {"a ilike 'x%'", "there is no 'ilike'"},
      {"a like b", "a text in single quotes is expected at character 8"},
      {"!a = 5", "write 'not' for '!'"},
      {"a = 1 && b = 2", "write 'and' for '&&'"},
      {"a = 1 | b = 2", "write 'or' for '|'"},
      {"a = null", "write 'is null'"},
  };
  for (const auto& [filter, words] : kCases) {
    EXPECT_NE(error_of(filter).find(words), std::string::npos)
        << filter << ": " << error_of(filter);
  }
  std::string message;
  for (const char* const op : {"<>", "between", "not in", "or", "~", "", "is", "not"}) {
    EXPECT_FALSE(table::filter_op_of(op, &message).ok()) << op;
    EXPECT_NE(message.find("is not one of the operators"), std::string::npos);
  }
  EXPECT_EQ(table::filter_op_of("  Is   NOT null ").value(), FilterOp::kIsNotNull);
  EXPECT_EQ(table::filter_op_of("==").value(), FilterOp::kEqual);
  bool negated = false;
  EXPECT_EQ(table::filter_op_of(" NOT  In", nullptr, &negated).value(), FilterOp::kIn);
  EXPECT_TRUE(negated);
  EXPECT_EQ(table::filter_op_of("like", nullptr, &negated).value(), FilterOp::kLike);
  EXPECT_FALSE(negated);
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
