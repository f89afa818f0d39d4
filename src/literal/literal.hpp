// SPDX-License-Identifier: Apache-2.0
// Classifies the text of a field of CSV, or of a value in a filter, as a number, a boolean, a date,
// a time, or other text. The rules are those of docs/text-to-numbers.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "literal/float16.hpp"

namespace numpact::internal {

inline constexpr std::int64_t kSecondsPerDay = 86'400;

enum class LiteralKind : std::uint8_t {
  kText,
  kInteger,    // digits with or without a sign; "-0" is kFloat, since no integer keeps its sign
  kFloat,      // with a decimal point or an exponent; nan and inf
  kBool,       // true and false
  kDate,       // 2024-02-29
  kTime,       // 12:30, 12:30:05.25
  kTimestamp,  // 2024-02-29 12:30:05.25, 2024-02-29T12:30Z, 2024-02-29 12:30:05+02:00
};

struct Literal {
  LiteralKind kind = LiteralKind::kText;
  std::string_view text;  // without surrounding blanks

  // For integers. `fits`: `magnitude` holds all digits.
  bool negative = false;
  bool fits = false;
  std::uint64_t magnitude = 0;
  bool leading_zeros = false;  // also for floats
  bool plus_sign = false;

  bool boolean = false;

  // For dates, times and timestamps. Seconds since midnight for times, and since 1970 for dates and
  // timestamps, in UTC if `zoned`.
  std::int64_t seconds = 0;
  std::uint32_t nanoseconds = 0;
  std::uint8_t fraction_digits = 0;  // at most 9
  bool zoned = false;
  bool has_offset = false;  // a nonzero offset from UTC
  bool too_fine = false;    // there are nonzero digits after the ninth
};

// Removes blanks and tabs from both ends.
std::string_view without_blanks(std::string_view text);

// `decimal`: the decimal point character.
Literal parse_literal(std::string_view text, char decimal);

// The grammar of values in filters (docs/cli-tables.md). It is that of fields, apart from blanks
// around numbers and from small letters:
// A number, with a point as '.'; nan, inf and infinity, with or without a sign.
bool is_number_literal(std::string_view text);
// A date, time or timestamp, with T or t before the time and Z or z for UTC, and blanks around it;
// none for other texts. `text` of the result is not set.
std::optional<Literal> parse_time_literal(std::string_view text);

enum class Fit : std::uint8_t {
  kExact,    // the nearest number prints as the text, with the same number of digits
  kRounded,  // digits are lost
  kRange,    // beyond the largest number of the type, or underflows to 0
};

// Finds the number of the type that is nearest to an integer or float literal.
Fit nearest(const Literal& literal, char decimal, double& number);
Fit nearest(const Literal& literal, char decimal, float& number);
Fit nearest(const Literal& literal, char decimal, Float16& number);

// Whether the number equals an integer literal exactly.
bool is_exactly(const Literal& literal, double number);
// The magnitude of a literal with a whole value, however it is written; none if it is not whole or
// exceeds 64 bits.
std::optional<std::uint64_t> whole_magnitude(const Literal& literal, char decimal);

}  // namespace numpact::internal
