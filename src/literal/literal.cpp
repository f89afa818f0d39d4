// SPDX-License-Identifier: Apache-2.0
#include "literal/literal.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>

#include "literal/digit.hpp"
#include "platform/read_number.hpp"

namespace numpact::internal {
namespace {

constexpr unsigned kMaxFractionDigits = 9;  // of a second: nanoseconds
// Years have at least 4 digits. 7 digits are enough for all years of a date32.
constexpr std::size_t kMinYearDigits = 4;
constexpr std::size_t kMaxYearDigits = 7;
// A double has at most 767 significant digits, so longer text without trailing zeros is inexact.
constexpr std::size_t kMaxSignificantDigits = 767;
// Larger exponents mean infinity or zero. Text lengths can be added to it without overflow.
constexpr std::int64_t kMaxExponent = std::int64_t{1} << 62;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Scans a text from front to back.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool at_end() const { return at_ == text_.size(); }
  std::size_t at() const { return at_; }
  char peek() const { return at_end() ? '\0' : text_[at_]; }

  bool take(char c) {
    if (peek() != c || at_end()) return false;
    ++at_;
    return true;
  }

  // Takes digits up to the first other character.
  std::string_view take_digits() {
    const std::size_t from = at_;
    while (is_digit(peek())) ++at_;
    return text_.substr(from, at_ - from);
  }

  // Takes a number of exactly `digits` digits that is at most `max`.
  bool take_number(std::size_t digits, unsigned max, unsigned& number) {
    if (text_.size() - at_ < digits) return false;
    number = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (!is_digit(text_[at_ + i])) return false;
      number = number * 10 + static_cast<unsigned>(text_[at_ + i] - '0');
    }
    at_ += digits;
    return number <= max;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

// Parses true, false, infinities and "not a number".
bool parse_word(Literal& literal) {
  const std::string_view text = literal.text;
  const bool is_true = text == "true" || text == "True" || text == "TRUE";
  if (is_true || text == "false" || text == "False" || text == "FALSE") {
    literal.kind = LiteralKind::kBool;
    literal.boolean = is_true;
    return true;
  }
  const bool has_sign = text.front() == '-' || text.front() == '+';
  const std::string_view word = text.substr(has_sign ? 1 : 0);
  const bool is_float = equals_ignoring_case(word, "nan") || equals_ignoring_case(word, "inf") ||
                        equals_ignoring_case(word, "infinity");
  if (!is_float) return false;
  literal.kind = LiteralKind::kFloat;
  return true;
}

void read_magnitude(std::string_view digits, Literal& literal) {
  const std::from_chars_result read =
      std::from_chars(digits.data(), digits.data() + digits.size(), literal.magnitude);
  literal.fits = read.ec == std::errc();
}

bool parse_number(Literal& literal, char decimal) {
  Scanner scanner(literal.text);
  literal.negative = scanner.take('-');
  literal.plus_sign = !literal.negative && scanner.take('+');
  const std::string_view digits = scanner.take_digits();
  bool is_float = false;
  std::size_t mantissa_digits = digits.size();
  if (scanner.take(decimal)) {
    is_float = true;
    mantissa_digits += scanner.take_digits().size();
  }
  if (mantissa_digits == 0) return false;
  if (scanner.take('e') || scanner.take('E')) {
    is_float = true;
    if (!scanner.take('-')) scanner.take('+');
    if (scanner.take_digits().empty()) return false;
  }
  if (!scanner.at_end()) return false;
  literal.leading_zeros = digits.size() > 1 && digits.front() == '0';
  if (!is_float) {
    read_magnitude(digits, literal);
    is_float = literal.negative && literal.fits && literal.magnitude == 0;
  }
  literal.kind = is_float ? LiteralKind::kFloat : LiteralKind::kInteger;
  return true;
}

bool is_leap(std::int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

unsigned days_in_month(std::int64_t year, unsigned month) {
  constexpr unsigned kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap(year) ? 29 : kDays[month - 1];
}

// Days since 1970 in the Gregorian calendar: the inverse of append_date in number_text.cpp. Years
// begin in March, eras of 400 years have 146 097 days.
std::int64_t days_since_1970(std::int64_t year, unsigned month, unsigned day) {
  if (month <= 2) --year;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t month_from_march = month > 2 ? month - 3 : month + 9;
  const std::int64_t day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
  const std::int64_t day_of_era =
      year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146'097 + day_of_era - 719'468;
}

bool take_date(Scanner& scanner, std::int64_t& days) {
  const bool negative = scanner.take('-');
  const std::string_view digits = scanner.take_digits();
  if (digits.size() < kMinYearDigits || digits.size() > kMaxYearDigits) return false;
  std::int64_t year = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), year);
  if (negative) year = -year;
  unsigned month = 0;
  unsigned day = 0;
  if (!scanner.take('-') || !scanner.take_number(2, 12, month) || month == 0) return false;
  if (!scanner.take('-') || !scanner.take_number(2, 31, day) || day == 0) return false;
  if (day > days_in_month(year, month)) return false;
  days = days_since_1970(year, month, day);
  return true;
}

void read_fraction(std::string_view digits, Literal& literal) {
  const std::size_t kept = std::min<std::size_t>(digits.size(), kMaxFractionDigits);
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < kMaxFractionDigits; ++i) {
    number = number * 10 + (i < kept ? static_cast<std::uint32_t>(digits[i] - '0') : 0);
  }
  literal.nanoseconds = number;
  literal.fraction_digits = static_cast<std::uint8_t>(kept);
  literal.too_fine = digits.find_first_not_of('0', kept) != std::string_view::npos;
}

// Takes hh, hh:mm, hh:mm:ss or hh:mm:ss.fraction.
bool take_clock(Scanner& scanner, Literal& literal, bool minutes_needed) {
  unsigned hours = 0;
  unsigned minutes = 0;
  unsigned seconds = 0;
  if (!scanner.take_number(2, 23, hours)) return false;
  if (scanner.take(':')) {
    if (!scanner.take_number(2, 59, minutes)) return false;
    if (scanner.take(':')) {
      if (!scanner.take_number(2, 59, seconds)) return false;
      if (scanner.take('.')) {
        const std::string_view digits = scanner.take_digits();
        if (digits.empty()) return false;
        read_fraction(digits, literal);
      }
    }
  } else if (minutes_needed) {
    return false;
  }
  literal.seconds += std::int64_t{hours} * 3600 + std::int64_t{minutes} * 60 + seconds;
  return true;
}

// Takes Z, +hh, +hhmm or +hh:mm at the end of a timestamp.
bool take_zone(Scanner& scanner, Literal& literal) {
  literal.zoned = true;
  if (scanner.take('Z')) return true;
  const bool west = scanner.peek() == '-';
  if (!scanner.take('-') && !scanner.take('+')) return false;
  unsigned hours = 0;
  unsigned minutes = 0;
  if (!scanner.take_number(2, 23, hours)) return false;
  const bool has_colon = scanner.take(':');
  if ((has_colon || !scanner.at_end()) && !scanner.take_number(2, 59, minutes)) return false;
  const std::int64_t offset = std::int64_t{hours} * 3600 + std::int64_t{minutes} * 60;
  literal.has_offset = offset != 0;
  literal.seconds -= west ? -offset : offset;
  return true;
}

bool parse_date(Literal& literal) {
  Scanner scanner(literal.text);
  std::int64_t days = 0;
  if (!take_date(scanner, days)) return false;
  literal.seconds = days * kSecondsPerDay;
  literal.kind = LiteralKind::kDate;
  if (scanner.at_end()) return true;
  if (!scanner.take('T') && !scanner.take(' ')) return false;
  if (!take_clock(scanner, literal, false)) return false;
  literal.kind = LiteralKind::kTimestamp;
  return scanner.at_end() || (take_zone(scanner, literal) && scanner.at_end());
}

bool parse_time(Literal& literal) {
  Scanner scanner(literal.text);
  literal.seconds = 0;
  if (!take_clock(scanner, literal, true) || !scanner.at_end()) return false;
  literal.kind = LiteralKind::kTime;
  return true;
}

// The significant digits of a number, from the first to the last nonzero digit, and the decimal
// exponent of the first one.
struct Digits {
  std::string text;
  std::int64_t exponent = 0;
};

Digits significant_digits(std::string_view number, char decimal) {
  Digits digits;
  std::int64_t before_point = 0;    // digits of the integer part from its first nonzero digit
  std::int64_t trailing_zeros = 0;  // zeros between the point and the first nonzero digit
  bool after_point = false;
  std::size_t at = 0;
  for (; at < number.size() && number[at] != 'e' && number[at] != 'E'; ++at) {
    const char c = number[at];
    if (c == decimal) after_point = true;
    if (!is_digit(c)) continue;
    if (digits.text.empty() && c == '0') {
      if (after_point) ++trailing_zeros;
      continue;
    }
    digits.text += c;
    if (!after_point) ++before_point;
  }
  while (!digits.text.empty() && digits.text.back() == '0') digits.text.pop_back();
  digits.exponent = before_point > 0 ? before_point - 1 : -trailing_zeros - 1;
  if (at < number.size()) {
    std::string_view text = number.substr(at + 1);
    if (!text.empty() && text.front() == '+') text.remove_prefix(1);
    std::int64_t exponent = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), exponent);
    const bool is_beyond = read.ec == std::errc::result_out_of_range;
    if (is_beyond) exponent = text.front() == '-' ? -kMaxExponent : kMaxExponent;
    digits.exponent += std::clamp(exponent, -kMaxExponent, kMaxExponent);
  }
  return digits;
}

// Whether a nonzero number, printed with as many digits as the text has, equals the text.
bool prints_as(double number, const Digits& expected) {
  if (expected.text.size() > kMaxSignificantDigits) return false;
  std::string printed(expected.text.size() + 32, '\0');
  const std::to_chars_result end =
      std::to_chars(printed.data(), printed.data() + printed.size(), std::abs(number),
                    std::chars_format::scientific, static_cast<int>(expected.text.size()) - 1);
  printed.resize(static_cast<std::size_t>(end.ptr - printed.data()));
  const Digits found = significant_digits(printed, '.');
  return found.text == expected.text && found.exponent == expected.exponent;
}

// The text in the form that std::from_chars accepts.
std::string_view plain_number(const Literal& literal, char decimal, std::string& buffer) {
  std::string_view text = literal.text;
  if (text.front() == '+') text.remove_prefix(1);
  if (decimal == '.') return text;
  buffer = text;
  std::replace(buffer.begin(), buffer.end(), decimal, '.');
  return buffer;
}

// Whether `text` is the shortest text that is read as `number`; most programs write this one. It is
// the closest to the number among texts with as many digits, so that printing with this count of
// digits gives the same digits. Then the digits need not be compared one by one.
template <class T>
bool is_shortest_text(std::string_view text, T number) {
  char shortest[32];
  const std::to_chars_result end = std::to_chars(shortest, shortest + sizeof(shortest), number);
  return end.ec == std::errc() && text == std::string_view(shortest, end.ptr);
}

// `exact_digits`: texts of at most this many digits round-trip through every normal number of the
// type.
template <class T>
Fit nearest_number(const Literal& literal, char decimal, T& number) {
  constexpr int kExactDigits = std::numeric_limits<T>::digits10;
  std::string buffer;
  const std::string_view text = plain_number(literal, decimal, buffer);
  number = 0;
  const auto read = internal::platform::read_number(text.data(), text.data() + text.size(), number);
  if (read.ec == std::errc::result_out_of_range) return Fit::kRange;
  if (!std::isfinite(number)) return Fit::kExact;  // the words nan and inf
  const bool is_normal = std::abs(number) >= std::numeric_limits<T>::min();
  if (is_normal && text.size() <= static_cast<std::size_t>(kExactDigits)) return Fit::kExact;
  if (is_shortest_text(text, number)) return Fit::kExact;
  const Digits digits = significant_digits(text, '.');
  if (digits.text.empty()) return Fit::kExact;  // zero
  if (number == 0) return Fit::kRange;
  if (is_normal && digits.text.size() <= static_cast<std::size_t>(kExactDigits)) {
    return Fit::kExact;
  }
  return prints_as(static_cast<double>(number), digits) ? Fit::kExact : Fit::kRounded;
}

// All decimal digits of a double.
Digits exact_digits(double number) {
  std::string text(kMaxSignificantDigits + 32, '\0');
  const std::to_chars_result end =
      std::to_chars(text.data(), text.data() + text.size(), std::abs(number),
                    std::chars_format::scientific, static_cast<int>(kMaxSignificantDigits) - 1);
  text.resize(static_cast<std::size_t>(end.ptr - text.data()));
  return significant_digits(text, '.');
}

// Rounds a literal to odd: the double itself if it equals the literal, else the neighbour with an
// odd mantissa among the two doubles around it. Rounding that to fewer bits gives the same result
// as rounding the literal. `number`: the nearest double.
double odd_double(const Literal& literal, char decimal, double number) {
  const bool is_odd = (std::bit_cast<std::uint64_t>(number) & 1U) != 0;
  if (is_odd || number == 0 || !std::isfinite(number)) return number;
  const Digits expected = significant_digits(literal.text, decimal);
  const Digits found = exact_digits(number);
  if (expected.text == found.text && expected.exponent == found.exponent) return number;
  const bool is_farther_from_zero =
      std::tie(expected.exponent, expected.text) > std::tie(found.exponent, found.text);
  return std::nextafter(number, is_farther_from_zero ? 2 * number : 0.0);
}

// Rounds a double to odd as a float. Rounding that to half precision gives the same result as
// rounding the double.
float round_to_odd(double number) {
  const auto nearest = static_cast<float>(number);
  if (static_cast<double>(nearest) == number || !std::isfinite(nearest)) return nearest;
  const float other = std::nextafter(nearest, static_cast<double>(nearest) < number
                                                  ? std::numeric_limits<float>::infinity()
                                                  : -std::numeric_limits<float>::infinity());
  const bool nearest_is_odd = (std::bit_cast<std::uint32_t>(nearest) & 1U) != 0;
  return nearest_is_odd ? nearest : other;
}

}  // namespace

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

Literal parse_literal(std::string_view text, char decimal) {
  Literal literal;
  literal.text = without_blanks(text);
  if (literal.text.empty()) return literal;
  if (parse_number(literal, decimal)) return literal;
  literal.leading_zeros = false;
  literal.plus_sign = false;
  if (parse_word(literal) || parse_date(literal) || parse_time(literal)) return literal;
  literal.kind = LiteralKind::kText;
  return literal;
}

bool is_number_literal(std::string_view text) {
  Literal literal;
  literal.text = text;
  return !text.empty() && (parse_number(literal, '.') ||
                           (parse_word(literal) && literal.kind == LiteralKind::kFloat));
}

std::optional<Literal> parse_time_literal(std::string_view text) {
  // Dates and times have these two letters only.
  std::string capitals(without_blanks(text));
  std::replace(capitals.begin(), capitals.end(), 't', 'T');
  std::replace(capitals.begin(), capitals.end(), 'z', 'Z');
  Literal literal;
  literal.text = capitals;
  if (capitals.empty() || (!parse_date(literal) && !parse_time(literal))) return std::nullopt;
  literal.text = {};
  return literal;
}

Fit nearest(const Literal& literal, char decimal, double& number) {
  return nearest_number(literal, decimal, number);
}

Fit nearest(const Literal& literal, char decimal, float& number) {
  return nearest_number(literal, decimal, number);
}

Fit nearest(const Literal& literal, char decimal, Float16& number) {
  double wide = 0;
  const Fit fit = nearest_number(literal, decimal, wide);
  number = to_float16(round_to_odd(odd_double(literal, decimal, wide)));
  const auto back = static_cast<double>(to_float(number));
  if (fit == Fit::kRange) return fit;
  if (std::isfinite(wide) && (!std::isfinite(back) || (back == 0 && wide != 0))) return Fit::kRange;
  if (!std::isfinite(wide) || back == wide) return fit;
  std::string buffer;
  const Digits digits = significant_digits(plain_number(literal, decimal, buffer), '.');
  return prints_as(back, digits) ? Fit::kExact : Fit::kRounded;
}

bool is_exactly(const Literal& literal, double number) {
  const Digits expected = significant_digits(literal.text, '.');
  const Digits found = exact_digits(number);
  return found.text == expected.text && found.exponent == expected.exponent;
}

std::optional<std::uint64_t> whole_magnitude(const Literal& literal, char decimal) {
  constexpr std::int64_t kMaxPower = std::numeric_limits<std::uint64_t>::digits10;
  if (literal.kind == LiteralKind::kInteger) {
    return literal.fits ? std::optional(literal.magnitude) : std::nullopt;
  }
  if (literal.text.find_first_of("nN") != std::string_view::npos) return std::nullopt;  // nan, inf
  Digits digits = significant_digits(literal.text, decimal);
  if (digits.text.empty()) return 0;
  const auto last = static_cast<std::int64_t>(digits.text.size()) - 1;
  if (digits.exponent > kMaxPower || digits.exponent < last) return std::nullopt;
  digits.text.append(static_cast<std::size_t>(digits.exponent - last), '0');
  std::uint64_t magnitude = 0;
  const char* const end = digits.text.data() + digits.text.size();
  if (std::from_chars(digits.text.data(), end, magnitude).ec != std::errc()) return std::nullopt;
  return magnitude;
}

}  // namespace numpact::internal
