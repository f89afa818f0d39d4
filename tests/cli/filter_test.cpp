// SPDX-License-Identifier: Apache-2.0
#include "pco/filter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <compare>
#include <limits>
#include <string>
#include <vector>

#include "failure.hpp"
#include "numbers/decimal.hpp"
#include "numbers/float16.hpp"
#include "pco/condition.hpp"

namespace numpact::cli {
namespace {

template <class T>
std::vector<bool> matches(const std::string& filter, const std::vector<T>& numbers,
                          LogicalType logical = {}, std::vector<std::uint8_t> valid = {}) {
  Column column;
  column.type = kNumberTypeOf<T>;
  column.logical = std::move(logical);
  const std::vector<Comparison> comparisons = parse_filter(filter);
  std::vector<std::uint8_t> kept(numbers.size(), 1);
  ColumnBlock block;
  block.numbers = NumberView(column.type, numbers.data(), numbers.size());
  block.valid = valid;
  block.rows = numbers.size();
  for (const Comparison& comparison : comparisons) {
    NumberCondition(comparison, column, "column 'x'").narrow(block, kept);
  }
  return {kept.begin(), kept.end()};
}

std::string error_of(const std::string& filter) {
  try {
    parse_filter(filter);
  } catch (const Failure& failure) {
    return failure.what();
  }
  return "";
}

using Bools = std::vector<bool>;

TEST(Filter, Parses) {
  const auto parsed = parse_filter(
      "a.b=1 AND \"odd \"\"name\"\" \">='it''s' and c IN (2024-01-01, nan , -1e5) and "
      "d is NULL and e is not null and f != true");
  ASSERT_EQ(parsed.size(), 6u);
  EXPECT_EQ(parsed[0].column, "a.b");
  EXPECT_EQ(parsed[1].column, "odd \"name\" ");
  EXPECT_EQ(parsed[1].op, CompareOp::kGreaterEqual);
  EXPECT_EQ(parsed[1].values[0].text, "it's");
  ASSERT_EQ(parsed[2].values.size(), 3u);
  EXPECT_EQ(parsed[2].values[0].kind, FilterValue::Kind::kTime);
  EXPECT_EQ(parsed[2].values[2].text, "-1e5");
  EXPECT_EQ(parsed[3].op, CompareOp::kIsNull);
  EXPECT_EQ(parsed[4].op, CompareOp::kIsNotNull);
  EXPECT_TRUE(parsed[5].values[0].boolean);
  // Words that begin with keywords are names and values.
  EXPECT_EQ(parse_filter("android=1 and inner>2").at(1).column, "inner");
}

TEST(Filter, RefusesAndSaysWhere) {
  EXPECT_NE(error_of("a = ").find("a value (text in single quotes) is expected at character 5"),
            std::string::npos);
  EXPECT_NE(error_of("= 5").find("the name of a column"), std::string::npos);
  EXPECT_NE(error_of("a = 5 or b = 6").find("'and' or the end"), std::string::npos);
  EXPECT_NE(error_of("a = 'x").find("a text that ends with '"), std::string::npos);
  EXPECT_NE(error_of("a in 5").find("'('"), std::string::npos);
  EXPECT_NE(error_of("a in (5").find("',' or ')'"), std::string::npos);
  EXPECT_NE(error_of("a is 5").find("'null'"), std::string::npos);
  EXPECT_NE(error_of("a ~ 5").find("=, !="), std::string::npos);
  EXPECT_NE(error_of("a = x").find("a value"), std::string::npos);
  EXPECT_NE(error_of("").find("the name of a column"), std::string::npos);
}

TEST(Decimal, ComparesExactly) {
  const auto order = [](const char* a, const char* b) {
    return compare(*parse_decimal(a), *parse_decimal(b));
  };
  EXPECT_TRUE(std::is_eq(order("1.10", "01.1")));
  EXPECT_TRUE(std::is_eq(order("-0", "0e5")));
  EXPECT_TRUE(std::is_lt(order("-2", "-1.5")));
  EXPECT_TRUE(std::is_lt(order("9", "10")));
  EXPECT_TRUE(std::is_gt(order("1e-400", "0")));
  EXPECT_TRUE(std::is_lt(order("1e99999999999999999999", "inf")));
  EXPECT_TRUE(std::is_lt(order("-inf", "-1e300")));
  EXPECT_TRUE(std::is_gt(compare(decimal_of(0.1), *parse_decimal("0.1"))));
  EXPECT_TRUE(std::is_eq(compare(decimal_of(0.5), *parse_decimal("0.5"))));
  const double minimum = std::numeric_limits<double>::denorm_min();
  EXPECT_TRUE(std::is_gt(compare(decimal_of(minimum), *parse_decimal("4.9e-324"))));
  EXPECT_TRUE(std::is_lt(compare(decimal_of(minimum), *parse_decimal("5e-324"))));
  EXPECT_FALSE(parse_decimal("1.2.3") || parse_decimal("e5") || parse_decimal("") ||
               parse_decimal("nan") || parse_decimal("1e"));
}

TEST(Condition, ComparesIntegersExactly) {
  const std::int64_t big = (std::int64_t{1} << 53) + 1;
  EXPECT_EQ(matches<std::int64_t>("x = 9007199254740992", {big, big - 1}), (Bools{false, true}));
  EXPECT_EQ(matches<std::int64_t>("x > 2.5", {2, 3}), (Bools{false, true}));
  EXPECT_EQ(matches<std::int64_t>("x = 2.5", {2, 3}), (Bools{false, false}));
  EXPECT_EQ(matches<std::int64_t>("x != 2.5", {2, 3}), (Bools{true, true}));
  const std::int64_t max = std::numeric_limits<std::int64_t>::max();
  const std::int64_t min = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(matches<std::int64_t>("x < 9223372036854775808", {min, max}), (Bools{true, true}));
  EXPECT_EQ(matches<std::int64_t>("x >= 9223372036854775807", {min, max}), (Bools{false, true}));
  EXPECT_EQ(matches<std::int64_t>("x <= -9223372036854775808", {min, max}), (Bools{true, false}));
  EXPECT_EQ(matches<std::int64_t>("x < -9223372036854775808", {min, max}), (Bools{false, false}));
  EXPECT_EQ(matches<std::int64_t>("x > 9223372036854775807", {min, max}), (Bools{false, false}));
  EXPECT_EQ(matches<std::uint64_t>("x = 18446744073709551615", {~std::uint64_t{0}, 0}),
            (Bools{true, false}));
  EXPECT_EQ(matches<std::uint64_t>("x >= -1", {0}), Bools{true});
  EXPECT_EQ(matches<std::uint8_t>("x in (1, 255, 256, 3.5)", {0, 1, 3, 255}),
            (Bools{false, true, false, true}));
}

TEST(Condition, ComparesFloats) {
  const float tenth = 0.1F;  // above 0.1
  EXPECT_EQ(matches<float>("x = 0.1", {tenth}), Bools{true});
  EXPECT_EQ(matches<float>("x > 0.1", {tenth}), Bools{false});
  EXPECT_EQ(matches<double>("x = 0.1", {0.1, tenth}), (Bools{true, false}));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> all = {-inf, -0.0, 0.0, 1, inf, nan, -nan};
  EXPECT_EQ(matches<double>("x = 0", all), (Bools{0, 1, 1, 0, 0, 0, 0}));
  EXPECT_EQ(matches<double>("x != 0", all), (Bools{1, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(matches<double>("x < inf", all), (Bools{1, 1, 1, 1, 0, 0, 0}));
  EXPECT_EQ(matches<double>("x <= inf", all), (Bools{1, 1, 1, 1, 1, 0, 0}));
  EXPECT_EQ(matches<double>("x = nan", all), (Bools{0, 0, 0, 0, 0, 1, 1}));
  EXPECT_EQ(matches<double>("x != nan", all), (Bools{1, 1, 1, 1, 1, 0, 0}));
  EXPECT_EQ(matches<double>("x in (NaN, 1)", all), (Bools{0, 0, 0, 1, 0, 1, 1}));
  EXPECT_EQ(matches<double>("x > nan", all), (Bools{0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(matches<double>("x > 1e400", all), (Bools{0, 0, 0, 0, 1, 0, 0}));
  EXPECT_EQ(matches<Float16>("x >= 65504", {Float16{0x7bff}, Float16{0x7c00}, Float16{0x7e00}}),
            (Bools{1, 1, 0}));
}

TEST(Condition, NullsSatisfyOnlyIsNull) {
  const std::vector<std::uint8_t> valid = {1, 0, 1};
  EXPECT_EQ(matches<double>("x is null", {1, 0, 2}, {}, valid), (Bools{0, 1, 0}));
  EXPECT_EQ(matches<double>("x is not null", {1, 0, 2}, {}, valid), (Bools{1, 0, 1}));
  EXPECT_EQ(matches<double>("x != 5", {1, 0, 2}, {}, valid), (Bools{1, 0, 1}));
  EXPECT_EQ(matches<double>("x < 2 and x >= 0", {1, 0, 2}, {}, valid), (Bools{1, 0, 0}));
}

TEST(Condition, ComparesTimesInEveryUnit) {
  const LogicalType seconds{LogicalKind::kTimestamp, TimeUnit::kSecond, ""};
  EXPECT_EQ(matches<std::int64_t>("x > '1970-01-01T00:00:00.5'", {0, 1}, seconds), (Bools{0, 1}));
  EXPECT_EQ(matches<std::int64_t>("x = 1970-01-01", {0, 1}, seconds), (Bools{1, 0}));
  const LogicalType zoned{LogicalKind::kTimestamp, TimeUnit::kNano, "Europe/Paris"};
  EXPECT_EQ(matches<std::int64_t>("x = '1970-01-01T01:00+01:00'", {0, 1}, zoned), (Bools{1, 0}));
  EXPECT_EQ(matches<std::int64_t>("x < '1970-01-01 00:00:00.0000000015'", {1, 2}, zoned),
            (Bools{1, 0}));
  const LogicalType day{LogicalKind::kDate32, TimeUnit::kSecond, ""};
  EXPECT_EQ(matches<std::int32_t>("x >= 1970-01-02", {0, 1}, day), (Bools{0, 1}));
  EXPECT_EQ(matches<std::int32_t>("x > '1970-01-01T12:00'", {0, 1}, day), (Bools{0, 1}));
  const LogicalType clock{LogicalKind::kTime32, TimeUnit::kMilli, ""};
  EXPECT_EQ(matches<std::int32_t>("x = 00:00:01", {1000, 1}, clock), (Bools{1, 0}));
  const LogicalType flag{LogicalKind::kBool, TimeUnit::kSecond, ""};
  EXPECT_EQ(matches<std::uint8_t>("x = TRUE", {1, 0}, flag), (Bools{1, 0}));
}

TEST(Condition, RefusesOtherKinds) {
  const LogicalType day{LogicalKind::kDate32, TimeUnit::kSecond, ""};
  EXPECT_THROW(matches<std::int32_t>("x = 5", {1}, day), Failure);
  EXPECT_THROW(matches<std::int32_t>("x = 'a'", {1}, day), Failure);
  EXPECT_THROW(matches<std::int32_t>("x = '1970-01-01T00:00Z'", {1}, day), Failure);
  EXPECT_THROW(matches<std::int32_t>("x = 'a'", {1}), Failure);
  EXPECT_THROW(matches<std::int32_t>("x = true", {1}), Failure);
  EXPECT_THROW(matches<std::int32_t>("x = 2024-01-01", {1}), Failure);
}

// Whatever the range of a chunk, it must not be left out if one of its numbers matches.
TEST(Condition, KeepsChunksThatMatch) {
  Column column;
  column.type = NumberType::kF64;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> numbers = {-3, -0.0, 0.0, 0.5, 1, 2.5, 7, nan};
  for (const char* const filter : {"x = 0", "x < 0", "x <= 0.5", "x > 1", "x >= 7", "x != 1",
                                   "x in (2.5, 9)", "x = nan", "x != nan", "x > 7"}) {
    const NumberCondition condition(parse_filter(filter)[0], column, "x");
    for (std::size_t first = 0; first < numbers.size(); ++first) {
      for (std::size_t end = first + 1; end <= numbers.size(); ++end) {
        const std::vector<double> part(numbers.begin() + static_cast<std::ptrdiff_t>(first),
                                       numbers.begin() + static_cast<std::ptrdiff_t>(end));
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
        const Bools matched = matches<double>(filter, part);
        const bool any = std::find(matched.begin(), matched.end(), true) != matched.end();
        EXPECT_TRUE(!any || condition.may_match(chunk)) << filter << " " << first << " " << end;
      }
    }
  }
  ChunkSummary far;
  far.place.count = 5;
  far.min_latent = latent_of_number(10.0);
  far.max_latent = latent_of_number(20.0);
  EXPECT_FALSE(NumberCondition(parse_filter("x < 10")[0], column, "x").may_match(far));
  EXPECT_TRUE(NumberCondition(parse_filter("x <= 10")[0], column, "x").may_match(far));
}

}  // namespace
}  // namespace numpact::cli
