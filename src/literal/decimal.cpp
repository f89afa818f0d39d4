// SPDX-License-Identifier: Apache-2.0
#include "literal/decimal.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "literal/digit.hpp"

namespace numpact::internal {
namespace {

// Larger exponents compare like this one: no number type comes near it. Sums with the number of
// digits of a text stay far from the limits of 64 bits.
constexpr std::int64_t kMaxDecimalExponent = 1'000'000'000'000;
// Digits after the first one in the longest exact text of a double: 2^-1074 has 751 digits, and
// the largest subnormal numbers have 767.
constexpr int kMaxDoubleDigits = 767;

// Removes zeros from both ends of the digits.
void normalize(Decimal& number) {
  const std::size_t first = number.digits.find_first_not_of('0');
  if (first == std::string::npos) {
    number = Decimal();
    return;
  }
  number.digits.erase(0, first);
  number.exponent -= static_cast<std::int64_t>(first);
  number.digits.erase(number.digits.find_last_not_of('0') + 1);
}

// Reads the digits after an e; none if there are none.
std::optional<std::int64_t> parse_exponent(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
  std::int64_t exponent = 0;
  for (const char c : text) exponent = std::min(kMaxDecimalExponent, exponent * 10 + (c - '0'));
  return is_negative ? -exponent : exponent;
}

bool is_infinity(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  return lower == "inf" || lower == "infinity";
}

std::strong_ordering compare_magnitudes(const Decimal& a, const Decimal& b) {
  if (a.is_infinite || b.is_infinite) return a.is_infinite <=> b.is_infinite;
  if (a.digits.empty() || b.digits.empty()) return b.digits.empty() <=> a.digits.empty();
  if (a.exponent != b.exponent) return a.exponent <=> b.exponent;
  return a.digits.compare(b.digits) <=> 0;
}

// -1, 0 or 1.
int sign_of(const Decimal& number) {
  if (!number.is_infinite && number.digits.empty()) return 0;
  return number.is_negative ? -1 : 1;
}

}  // namespace

Decimal Decimal::shifted(int power) const {
  Decimal result = *this;
  if (!digits.empty()) result.exponent += power;
  return result;
}

std::strong_ordering compare(const Decimal& a, const Decimal& b) {
  if (sign_of(a) != sign_of(b)) return sign_of(a) <=> sign_of(b);
  return sign_of(a) < 0 ? compare_magnitudes(b, a) : compare_magnitudes(a, b);
}

std::optional<Decimal> parse_decimal(std::string_view text) {
  Decimal number;
  number.is_negative = text.starts_with('-');
  if (number.is_negative || text.starts_with('+')) text.remove_prefix(1);
  if (is_infinity(text)) {
    number.is_infinite = true;
    return number;
  }
  bool after_point = false;
  std::size_t at = 0;
  for (; at < text.size() && text[at] != 'e' && text[at] != 'E'; ++at) {
    if (text[at] == '.' && !after_point) {
      after_point = true;
      continue;
    }
    if (!is_digit(text[at])) return std::nullopt;
    number.digits += text[at];
    if (!after_point) ++number.exponent;
  }
  if (number.digits.empty()) return std::nullopt;
  if (at < text.size()) {
    const std::optional<std::int64_t> exponent = parse_exponent(text.substr(at + 1));
    if (!exponent) return std::nullopt;
    number.exponent += *exponent;
  }
  normalize(number);
  return number;
}

Decimal decimal_of(std::uint64_t number) {
  Decimal result;
  result.digits = std::to_string(number);
  result.exponent = static_cast<std::int64_t>(result.digits.size());
  normalize(result);
  return result;
}

Decimal decimal_of(std::int64_t number) {
  // Unsigned, since the magnitude of the least number does not fit otherwise.
  const auto bits = static_cast<std::uint64_t>(number);
  Decimal result = decimal_of(number < 0 ? 0 - bits : bits);
  result.is_negative = number < 0;
  return result;
}

Decimal decimal_of(double number) {
  if (std::isinf(number)) {
    Decimal result;
    result.is_negative = number < 0;
    result.is_infinite = true;
    return result;
  }
  // Sign, point, and "e-1074" besides the digits.
  std::array<char, kMaxDoubleDigits + 16> text{};
  const int size = std::snprintf(text.data(), text.size(), "%.*e", kMaxDoubleDigits, number);
  return parse_decimal({text.data(), static_cast<std::size_t>(size)}).value_or(Decimal());
}

}  // namespace numpact::internal
