// SPDX-License-Identifier: Apache-2.0
// Numbers as decimal digits, for exact comparisons between numbers of different types.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace numpact::internal {

// A number without a NaN: sign * 0.DIGITS * 10^exponent. Digits begin and end with a nonzero digit;
// zero has none. Infinities are larger than any digits.
struct Decimal {
  bool is_negative = false;
  bool is_infinite = false;
  std::string digits;
  std::int64_t exponent = 0;

  // The number times 10^power.
  Decimal shifted(int power) const;
};

std::strong_ordering compare(const Decimal& a, const Decimal& b);

// Parses an optional sign, digits with an optional point, and an optional exponent; or inf or
// infinity. None for other texts, NaN among them.
std::optional<Decimal> parse_decimal(std::string_view text);
Decimal decimal_of(std::int64_t number);
Decimal decimal_of(std::uint64_t number);
// The exact value; `number` is not a NaN.
Decimal decimal_of(double number);

}  // namespace numpact::internal
