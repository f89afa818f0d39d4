// SPDX-License-Identifier: Apache-2.0
#include "numbers/number_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "numbers/dispatch.hpp"
#include "numbers/floor_divide.hpp"
#include "numbers/logical_type.hpp"
#include "text/literals.hpp"

namespace numpact::cli {
namespace {

template <class T>
char* put_digits(char* to, T number) {
  return std::to_chars(to, to + kMaxValueBytes, number).ptr;
}

char* put_word(char* to, std::string_view word) { return std::copy(word.begin(), word.end(), to); }

// Writes two digits; `number` is below 100.
char* put_two(char* to, std::int64_t number) {
  to[0] = static_cast<char>('0' + number / 10);
  to[1] = static_cast<char>('0' + number % 10);
  return to + 2;
}

// Writes at least four digits, with a sign before them if the year is negative.
char* put_year(char* to, std::int64_t year) {
  if (year < 0) {
    *to++ = '-';
    year = -year;
  }
  for (std::int64_t bound = 1'000; bound > 1 && year < bound; bound /= 10) *to++ = '0';
  return put_digits(to, year);
}

// Converts days since 1970 to a Gregorian date. After Howard Hinnant, "chrono-Compatible Low-Level
// Date Algorithms": years begin in March, eras of 400 years have 146 097 days.
char* put_date(char* to, std::int64_t days) {
  const std::int64_t shifted = days + 719'468;
  const std::int64_t era = floor_divide(shifted, 146'097);
  const std::int64_t day_of_era = shifted - era * 146'097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month_from_march = (5 * day_of_year + 2) / 153;
  const std::int64_t day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
  const std::int64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  const std::int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  to = put_year(to, year);
  *to++ = '-';
  to = put_two(to, month);
  *to++ = '-';
  return put_two(to, day);
}

// Writes the last kDigits decimal digits.
template <int kDigits>
char* put_decimals(char* to, std::int64_t number) {
  for (int i = kDigits; i-- > 0; number /= 10) to[i] = static_cast<char>('0' + number % 10);
  return to + kDigits;
}

// Divisors are constants, since a division by a variable takes as long as the rest of the value.
template <TimeUnit kUnit>
struct TimeText {
  static constexpr std::int64_t kPerSecond = per_second(kUnit);
  static constexpr int kDecimals = decimals_of(kUnit);

  static char* put_time(char* to, std::int64_t since_midnight) {
    const std::int64_t seconds = since_midnight / kPerSecond;
    to = put_two(to, seconds / 3600);
    *to++ = ':';
    to = put_two(to, seconds / 60 % 60);
    *to++ = ':';
    to = put_two(to, seconds % 60);
    if constexpr (kDecimals == 0) return to;
    *to++ = '.';
    return put_decimals<kDecimals>(to, since_midnight % kPerSecond);
  }

  static char* put_timestamp(char* to, std::int64_t value) {
    constexpr std::int64_t kPerDay = kSecondsPerDay * kPerSecond;
    to = put_date(to, floor_divide(value, kPerDay));
    *to++ = ' ';
    // Not value - days * kPerDay, whose product can overflow at the ends of the range.
    const std::int64_t rest = value % kPerDay;
    return put_time(to, rest < 0 ? rest + kPerDay : rest);
  }
};

// Calls `function` with the TimeText of a unit.
template <class Function>
char* with_unit(TimeUnit unit, Function&& function) {
  switch (unit) {
    case TimeUnit::kSecond:
      return function(TimeText<TimeUnit::kSecond>());
    case TimeUnit::kMilli:
      return function(TimeText<TimeUnit::kMilli>());
    case TimeUnit::kMicro:
      return function(TimeText<TimeUnit::kMicro>());
    case TimeUnit::kNano:
      break;
  }
  return function(TimeText<TimeUnit::kNano>());
}

std::int64_t integer_at(const NumberView& numbers, std::size_t index) {
  switch (numbers.type) {
    case NumberType::kI32:
      return static_cast<const std::int32_t*>(numbers.data)[index];
    case NumberType::kI64:
      return static_cast<const std::int64_t*>(numbers.data)[index];
    default:
      return static_cast<const std::uint8_t*>(numbers.data)[index];
  }
}

// A number of multiples of 10^-scale: "-0.05" for -5 and a scale of 2.
char* put_decimal(char* to, std::int64_t value, unsigned scale) {
  const bool is_negative = value < 0;
  auto left = static_cast<std::uint64_t>(value);
  if (is_negative) left = 0 - left;
  char digits[kMaxValueBytes];
  char* const end = digits + sizeof digits;
  char* at = end;
  for (unsigned count = 0; left > 0 || count <= scale; ++count) {
    if (count == scale && scale > 0) *--at = '.';
    *--at = static_cast<char>('0' + left % 10);
    left /= 10;
  }
  if (is_negative) *to++ = '-';
  return std::copy(at, end, to);
}

char* put_value(char* to, const LogicalType& logical, const NumberView& numbers,
                std::size_t index) {
  if (logical.kind == LogicalKind::kNumber || logical.kind == LogicalKind::kDuration) {
    return put_number(to, numbers, index);
  }
  const std::int64_t value = integer_at(numbers, index);
  switch (logical.kind) {
    case LogicalKind::kBool:
      if (value == 0 || value == 1) return put_word(to, value == 1 ? "true" : "false");
      break;
    case LogicalKind::kDecimal:
      return put_decimal(to, value, logical.decimal.scale);
    case LogicalKind::kDate32:
      return put_date(to, value);
    case LogicalKind::kDate64:
      if (value % (kSecondsPerDay * 1'000) == 0) {
        return put_date(to, value / (kSecondsPerDay * 1'000));
      }
      return TimeText<TimeUnit::kMilli>::put_timestamp(to, value);
    case LogicalKind::kTime32:
    case LogicalKind::kTime64:
      if (value >= 0 && value < kSecondsPerDay * per_second(logical.unit)) {
        return with_unit(logical.unit, [&](auto text) { return text.put_time(to, value); });
      }
      break;
    default:
      to = with_unit(logical.unit, [&](auto text) { return text.put_timestamp(to, value); });
      if (!logical.timezone.empty()) *to++ = 'Z';
      return to;
  }
  return put_number(to, numbers, index);
}

}  // namespace

char* put_number(char* to, const NumberView& numbers, std::size_t index) {
  return with_type(numbers.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T number = static_cast<const T*>(numbers.data)[index];
    if constexpr (std::is_same_v<T, Float16>) {
      return put_digits(to, to_float(number));
    } else {
      return put_digits(to, number);
    }
  });
}

char* put_csv_value(char* to, const LogicalType& logical, const NumberView& numbers,
                    std::size_t index) {
  char* const end = put_value(to, logical, numbers, index);
  const bool is_float = numbers.type == NumberType::kF16 || numbers.type == NumberType::kF32 ||
                        numbers.type == NumberType::kF64;
  if (!is_float) return end;
  // Nothing is appended to a text with a point, an exponent, or a letter of inf or nan.
  const bool is_whole =
      std::all_of(to, end, [](char c) { return c == '-' || (c >= '0' && c <= '9'); });
  return is_whole ? put_word(end, ".0") : end;
}

void append_number(std::string& text, const NumberView& numbers, std::size_t index) {
  char bytes[kMaxValueBytes];
  text.append(bytes, static_cast<std::size_t>(put_number(bytes, numbers, index) - bytes));
}

void append_value(std::string& text, const LogicalType& logical, const NumberView& numbers,
                  std::size_t index) {
  char bytes[kMaxValueBytes];
  text.append(bytes, static_cast<std::size_t>(put_value(bytes, logical, numbers, index) - bytes));
}

}  // namespace numpact::cli
