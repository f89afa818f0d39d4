// SPDX-License-Identifier: Apache-2.0
#include "numbers/number_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "numbers/dispatch.hpp"
#include "numbers/float16.hpp"
#include "numbers/floor_divide.hpp"
#include "numbers/logical_type.hpp"

namespace numpact::cli {
namespace {

template <class T>
void append_chars(std::string& text, T number) {
  char digits[64];
  const std::to_chars_result end = std::to_chars(digits, digits + sizeof(digits), number);
  text.append(digits, end.ptr);
}

// Bytes of the longest date and time: a year of 12 digits with its sign, nanoseconds, 'Z'.
constexpr std::size_t kMaxTimeBytes = 48;

// Writes two digits; `number` is below 100.
char* put_two(char* to, std::int64_t number) {
  to[0] = static_cast<char>('0' + number / 10);
  to[1] = static_cast<char>('0' + number % 10);
  return to + 2;
}

// Writes at least `width` (up to 9) digits, with a sign before them if the number is negative.
char* put_padded(char* to, std::int64_t number, std::size_t width) {
  if (number < 0) {
    *to++ = '-';
    number = -number;
  }
  char digits[20];
  const char* const end = std::to_chars(digits, digits + sizeof(digits), number).ptr;
  for (auto n = static_cast<std::size_t>(end - digits); n < width; ++n) *to++ = '0';
  return std::copy(static_cast<const char*>(digits), end, to);
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
  to = put_padded(to, year, 4);
  *to++ = '-';
  to = put_two(to, month);
  *to++ = '-';
  return put_two(to, day);
}

// Writes a time of day given in `unit`, with the decimals of that unit.
char* put_time(char* to, std::int64_t since_midnight, TimeUnit unit) {
  const std::int64_t scale = per_second(unit);
  const std::int64_t seconds = since_midnight / scale;
  to = put_two(to, seconds / 3600);
  *to++ = ':';
  to = put_two(to, seconds / 60 % 60);
  *to++ = ':';
  to = put_two(to, seconds % 60);
  if (scale == 1) return to;
  *to++ = '.';
  return put_padded(to, since_midnight % scale,
                    unit == TimeUnit::kMilli   ? 3
                    : unit == TimeUnit::kMicro ? 6
                                               : 9);
}

void append_date(std::string& text, std::int64_t days) {
  char bytes[kMaxTimeBytes];
  text.append(bytes, put_date(bytes, days));
}

void append_time(std::string& text, std::int64_t since_midnight, TimeUnit unit) {
  char bytes[kMaxTimeBytes];
  text.append(bytes, put_time(bytes, since_midnight, unit));
}

void append_timestamp(std::string& text, std::int64_t value, const LogicalType& logical) {
  const std::int64_t per_day = kSecondsPerDay * per_second(logical.unit);
  char bytes[kMaxTimeBytes];
  char* end = put_date(bytes, floor_divide(value, per_day));
  *end++ = ' ';
  // Not value - days * per_day, whose product can overflow at the ends of the range.
  const std::int64_t rest = value % per_day;
  end = put_time(end, rest < 0 ? rest + per_day : rest, logical.unit);
  if (!logical.timezone.empty()) *end++ = 'Z';
  text.append(bytes, end);
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

}  // namespace

void append_number(std::string& text, const NumberView& numbers, std::size_t index) {
  with_type(numbers.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T number = static_cast<const T*>(numbers.data)[index];
    if constexpr (std::is_same_v<T, Float16>) {
      append_chars(text, to_float(number));
    } else {
      append_chars(text, number);
    }
  });
}

void append_value(std::string& text, const LogicalType& logical, const NumberView& numbers,
                  std::size_t index) {
  if (logical.kind == LogicalKind::kNumber || logical.kind == LogicalKind::kDuration) {
    return append_number(text, numbers, index);
  }
  const std::int64_t value = integer_at(numbers, index);
  switch (logical.kind) {
    case LogicalKind::kBool:
      if (value == 0 || value == 1) {
        text += value == 1 ? "true" : "false";
        return;
      }
      break;
    case LogicalKind::kDate32:
      return append_date(text, value);
    case LogicalKind::kDate64:
      if (value % (kSecondsPerDay * 1'000) == 0) {
        return append_date(text, value / (kSecondsPerDay * 1'000));
      }
      return append_timestamp(text, value, {LogicalKind::kTimestamp, TimeUnit::kMilli, ""});
    case LogicalKind::kTime32:
    case LogicalKind::kTime64:
      if (value >= 0 && value < kSecondsPerDay * per_second(logical.unit)) {
        return append_time(text, value, logical.unit);
      }
      break;
    default:
      return append_timestamp(text, value, logical);
  }
  append_number(text, numbers, index);
}

void append_csv_value(std::string& text, const LogicalType& logical, const NumberView& numbers,
                      std::size_t index) {
  const std::size_t from = text.size();
  append_value(text, logical, numbers, index);
  const bool is_float = numbers.type == NumberType::kF16 || numbers.type == NumberType::kF32 ||
                        numbers.type == NumberType::kF64;
  if (!is_float) return;
  // Nothing is appended to a text with a point, an exponent, or a letter of inf or nan.
  const bool is_whole = std::all_of(text.begin() + static_cast<std::ptrdiff_t>(from), text.end(),
                                    [](char c) { return c == '-' || (c >= '0' && c <= '9'); });
  if (is_whole) text += ".0";
}

}  // namespace numpact::cli
