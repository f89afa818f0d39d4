// SPDX-License-Identifier: Apache-2.0
#include "literal/decimal.hpp"

#include <gtest/gtest.h>

#include <compare>
#include <limits>

namespace numpact::internal {
namespace {

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

}  // namespace
}  // namespace numpact::internal
