// SPDX-License-Identifier: Apache-2.0
// Numbers in the form that most files have: digits with an optional minus and point, which 64 bits
// hold. The rules of literal/literal.hpp decide on all texts; this is a fast path to the same
// results, and leaves every other text to them.
#pragma once

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include "csv/word.hpp"

namespace numpact::cli {

// Stands for `digits` / 10^`places`.
struct PlainNumber {
  std::uint64_t digits = 0;
  unsigned places = 0;
  bool is_negative = false;
  bool is_float = false;  // with a point
};

namespace plain {

inline constexpr std::size_t kMaxDigits = 19;  // 10^19 < 2^64
inline constexpr std::uint64_t kPowersOf10[] = {1,
                                                10,
                                                100,
                                                1'000,
                                                10'000,
                                                100'000,
                                                1'000'000,
                                                10'000'000,
                                                100'000'000,
                                                1'000'000'000,
                                                10'000'000'000,
                                                100'000'000'000,
                                                1'000'000'000'000,
                                                10'000'000'000'000,
                                                100'000'000'000'000,
                                                1'000'000'000'000'000,
                                                10'000'000'000'000'000,
                                                100'000'000'000'000'000,
                                                1'000'000'000'000'000'000,
                                                10'000'000'000'000'000'000u};

// All powers of ten that a double holds exactly, and the powers of five in them.
inline constexpr unsigned kMaxPlaces = 22;
inline constexpr double kExactPowersOf10[kMaxPlaces + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
struct PowersOf5 {
  std::uint64_t of[kMaxPlaces + 1] = {1};
  constexpr PowersOf5() {
    for (unsigned i = 1; i <= kMaxPlaces; ++i) of[i] = 5 * of[i - 1];
  }
};
inline constexpr PowersOf5 kPowersOf5;

// The value of the first `count` characters of a word, digits, with 1 <= count <= 8: neighbours are
// joined to pairs, pairs to fours, and fours to the number.
constexpr std::uint64_t digits_value(std::uint64_t word, std::size_t count) {
  word <<= 64 - 8 * count;
  word = (word & repeated(0x0f)) * (1 + (10 << 8)) >> 8;
  word = (word & 0x00ff'00ff'00ff'00ff) * (1 + (100 << 16)) >> 16;
  return (word & 0x0000'ffff'0000'ffff) * (1 + (std::uint64_t{10'000} << 32)) >> 32;
}

// How many digits a word begins with.
constexpr std::size_t leading_digits(std::uint64_t word) {
  const std::uint64_t digits = word ^ repeated('0');
  return first_marked(((digits + repeated(0x7f - 9)) | digits) & repeated(0x80));
}

// Takes the digits up to the first other character. Returns false if the number gets too long.
inline bool take_digits(const char*& at, const char* end, std::uint64_t& number) {
  while (at < end) {
    const std::uint64_t word = load_word(at);
    const std::size_t count = std::min(leading_digits(word), static_cast<std::size_t>(end - at));
    if (count == 0) return true;
    if (number >= kPowersOf10[kMaxDigits - count]) return false;
    number = number * kPowersOf10[count] + digits_value(word, count);
    at += count;
    if (count < kWordBytes) return true;
  }
  return true;
}

}  // namespace plain

// parse_plain() for texts that it does not parse by words.
inline bool parse_plain_by_parts(std::string_view text, char decimal, PlainNumber& number) {
  const char* at = text.data();
  const char* const end = at + text.size();
  number = PlainNumber();
  if (at < end && *at == '-') {
    number.is_negative = true;
    ++at;
  }
  const char* const whole = at;
  if (!plain::take_digits(at, end, number.digits)) return false;
  const auto whole_digits = static_cast<std::size_t>(at - whole);
  if (whole_digits > 1 && *whole == '0') return false;
  if (at == end) return whole_digits > 0 && !(number.is_negative && number.digits == 0);
  if (*at != decimal) return false;
  const char* const fraction = ++at;
  if (!plain::take_digits(at, end, number.digits) || at != end) return false;
  const auto places = static_cast<std::size_t>(at - fraction);
  number.places = static_cast<unsigned>(places);
  number.is_float = true;
  return whole_digits + places > 0 && places <= plain::kMaxPlaces;
}

// Parses a whole text. kWordBytes must be readable behind it. Returns false for all other texts,
// among them numbers with leading zeros, which the user is told of, and "-0".
//
// Up to 7 digits before a point and 16 behind it, and integers of up to 16 digits, are parsed by
// words without a loop.
inline bool parse_plain(std::string_view text, char decimal, PlainNumber& number) {
  if (text.empty()) return false;
  const bool is_negative = text[0] == '-';
  const char* const at = text.data() + (is_negative ? 1 : 0);
  const std::size_t size = text.size() - (is_negative ? 1 : 0);
  const std::uint64_t word = load_word(at);
  const std::size_t whole = std::min(plain::leading_digits(word), size);
  if (whole == 0) return parse_plain_by_parts(text, decimal, number);
  if (whole > 1 && *at == '0') return false;
  std::uint64_t digits = plain::digits_value(word, whole);
  std::size_t left = size - whole;  // more digits
  const char* rest = at + whole;
  const bool is_float = left > 0 && *rest == decimal;
  if (is_float) {
    ++rest;
    --left;
  }
  const std::size_t places = is_float ? left : 0;
  if (left > 2 * kWordBytes || whole + left > plain::kMaxDigits) {
    return parse_plain_by_parts(text, decimal, number);
  }
  if (left > kWordBytes) {
    const std::uint64_t next = load_word(rest);
    if (plain::leading_digits(next) < kWordBytes) {
      return !is_float && parse_plain_by_parts(text, decimal, number);
    }
    digits = digits * plain::kPowersOf10[kWordBytes] + plain::digits_value(next, kWordBytes);
    rest += kWordBytes;
    left -= kWordBytes;
  }
  if (left > 0) {
    const std::uint64_t next = load_word(rest);
    if (plain::leading_digits(next) < left) {
      return !is_float && parse_plain_by_parts(text, decimal, number);
    }
    digits = digits * plain::kPowersOf10[left] + plain::digits_value(next, left);
  }
  number = {digits, static_cast<unsigned>(places), is_negative, is_float};
  return is_float || !is_negative || digits != 0;
}

namespace plain {

// A text with fewer digits has a unit of more than the distance of floats, for there are more
// floats.
template <class T>
inline constexpr std::uint64_t kMaxSure = std::uint64_t{1} << (std::numeric_limits<T>::digits - 1);

// The conversion to double and the division are exact or round once.
inline constexpr bool kRoundsOnce = FLT_EVAL_METHOD == 0;

inline double quotient(const PlainNumber& number) {
  return static_cast<double>(number.digits) / kExactPowersOf10[number.places];
}

// nearest_exact() for digits other than 0, given a float less than two floats away.
//
// The text is digits / 10^places, the float m * 2^e. Multiplied by 5^places * 2^-e, they are
// digits * 2^shift and m * 5^places, with shift = -(e + places); the distance to the next float is
// 5^places, and a unit in the last digit of the text is 2^shift. The float is the nearest if the
// difference is less than half the former, and it prints as the text if it is less than half the
// latter. The quotient is less than two floats away, so that the difference is below 2^53 and can
// be computed modulo 2^64.
template <class T>
bool correct_nearest(const PlainNumber& number, T& nearest) {
  constexpr int kBits = std::numeric_limits<T>::digits;
  using Bits = std::conditional_t<std::is_same_v<T, float>, std::uint32_t, std::uint64_t>;
  constexpr Bits kImplicit = Bits{1} << (kBits - 1);
  constexpr int kExponentBias = std::numeric_limits<T>::max_exponent - 1 + kBits - 1;
  const Bits magnitude = std::bit_cast<Bits>(std::abs(nearest));
  Bits mantissa = (magnitude & (kImplicit - 1)) | kImplicit;
  const int exponent = static_cast<int>(magnitude >> (kBits - 1)) - kExponentBias;
  const int shift = -(exponent + static_cast<int>(number.places));
  if (shift < 1) return false;
  const std::uint64_t step = kPowersOf5.of[number.places];
  const std::uint64_t scaled = shift < 64 ? number.digits << shift : 0;
  auto above = static_cast<std::int64_t>(scaled - mantissa * step);
  const auto signed_step = static_cast<std::int64_t>(step);
  // Without branches, since either is as likely as neither.
  const std::int64_t to_next =
      (2 * above > signed_step ? 1 : 0) - (2 * above < -signed_step ? 1 : 0);
  above -= to_next * signed_step;
  mantissa += static_cast<Bits>(to_next);
  // The distance to the next smaller float differs at powers of two.
  if (mantissa <= kImplicit || mantissa >= 2 * kImplicit) return false;
  const std::int64_t distance = above < 0 ? -above : above;
  if (2 * distance >= signed_step) return false;
  if (shift < 63 && 2 * distance >= std::int64_t{1} << shift) return false;
  const Bits found = (magnitude & ~(kImplicit - 1)) | (mantissa & (kImplicit - 1));
  nearest = std::bit_cast<T>(found);
  if (number.is_negative) nearest = -nearest;
  return true;
}

}  // namespace plain

// Finds the float nearest to the number, and returns whether it prints as the number, with as many
// digits. False also if that is unknown here.
template <class T>
inline bool nearest_exact(const PlainNumber& number, T& nearest) {
  static_assert(std::is_floating_point_v<T>);
  if (!plain::kRoundsOnce) return false;
  const double quotient = plain::quotient(number);
  nearest = static_cast<T>(number.is_negative ? -quotient : quotient);
  if (number.digits == 0) return true;
  // Here the quotient itself is the nearest double. Rounding it again may go wrong.
  if (std::is_same_v<T, double> && number.digits < plain::kMaxSure<double>) return true;
  return plain::correct_nearest(number, nearest);
}

}  // namespace numpact::cli
