// SPDX-License-Identifier: Apache-2.0
// What the text of one CSV field is: a number, a truth value, a date, a time, or other text. The
// rules are those of docs/text-to-numbers.md.
#ifndef NUMPACT_CLI_CSV_LITERAL_HPP
#define NUMPACT_CLI_CSV_LITERAL_HPP

#include <cstdint>
#include <optional>
#include <string_view>

#include "float16.hpp"

namespace numpact::cli {

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
  std::string_view text;  // without blanks around it

  // Integers. `fits` says that `magnitude` holds all digits.
  bool negative = false;
  bool fits = false;
  std::uint64_t magnitude = 0;
  bool leading_zeros = false;  // also of floats
  bool plus_sign = false;

  bool truth = false;

  // Dates, times and timestamps. Seconds are those since midnight for times, and those since 1970
  // for dates and timestamps, in UTC if `zoned`.
  std::int64_t seconds = 0;
  std::uint32_t nanoseconds = 0;
  std::uint8_t fraction_digits = 0;  // at most 9
  bool zoned = false;
  bool has_offset = false;  // of other than 0 from UTC
  bool too_fine = false;    // digits behind the ninth are not 0
};

// The text without the blanks and tabs around it.
std::string_view without_blanks(std::string_view text);

// `decimal`: the character before the digits of a fraction.
Literal parse_literal(std::string_view text, char decimal);

enum class Fit : std::uint8_t {
  kExact,    // the nearest number, printed with as many digits as the text has, is the text
  kRounded,  // it is not: digits are lost
  kRange,    // beyond the largest number of the type, or rounded to 0
};

// The number of the type that is nearest to an integer or a float literal.
Fit nearest(const Literal& literal, char decimal, double& number);
Fit nearest(const Literal& literal, char decimal, float& number);
Fit nearest(const Literal& literal, char decimal, Float16& number);

// Whether the number is that of an integer literal, to the last digit.
bool is_exactly(const Literal& literal, double number);
// The magnitude of a literal whose number is whole, however it is written; none if it is not whole,
// or 64 bits do not hold it.
std::optional<std::uint64_t> whole_magnitude(const Literal& literal, char decimal);

}  // namespace numpact::cli

#endif
