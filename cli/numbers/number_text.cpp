// SPDX-License-Identifier: Apache-2.0
#include "numbers/number_text.hpp"

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

void append_padded(std::string& text, std::int64_t number, std::size_t width) {
  if (number < 0) {
    text += '-';
    number = -number;
  }
  const std::string digits = std::to_string(number);
  if (digits.size() < width) text.append(width - digits.size(), '0');
  text += digits;
}

// Converts days since 1970 to a Gregorian date. After Howard Hinnant, "chrono-Compatible Low-Level
// Date Algorithms": years begin in March, eras of 400 years have 146 097 days.
void append_date(std::string& text, std::int64_t days) {
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
  append_padded(text, year, 4);
  text += '-';
  append_padded(text, month, 2);
  text += '-';
  append_padded(text, day, 2);
}

// Appends a time of day given in `unit`, with the decimals of that unit.
void append_time(std::string& text, std::int64_t since_midnight, TimeUnit unit) {
  const std::int64_t scale = per_second(unit);
  const std::int64_t seconds = since_midnight / scale;
  append_padded(text, seconds / 3600, 2);
  text += ':';
  append_padded(text, seconds / 60 % 60, 2);
  text += ':';
  append_padded(text, seconds % 60, 2);
  if (scale == 1) return;
  text += '.';
  append_padded(text, since_midnight % scale,
                unit == TimeUnit::kMilli   ? 3
                : unit == TimeUnit::kMicro ? 6
                                           : 9);
}

void append_timestamp(std::string& text, std::int64_t value, const LogicalType& logical) {
  const std::int64_t per_day = kSecondsPerDay * per_second(logical.unit);
  const std::int64_t days = floor_divide(value, per_day);
  append_date(text, days);
  text += ' ';
  // Not value - days * per_day, whose product can overflow at the ends of the range.
  const std::int64_t rest = value % per_day;
  append_time(text, rest < 0 ? rest + per_day : rest, logical.unit);
  if (!logical.timezone.empty()) text += 'Z';
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
  // The text has no point, no exponent, and no letter of inf or nan.
  if (is_float && text.find_first_of(".en", from) == std::string::npos) text += ".0";
}

}  // namespace numpact::cli
