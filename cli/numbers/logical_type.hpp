// SPDX-License-Identifier: Apache-2.0
// The meaning of a column's numbers. Dates, times and booleans are stored as integers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "numpact/types.hpp"

namespace numpact::cli {

inline constexpr std::int64_t kSecondsPerDay = 86'400;

enum class LogicalKind : std::uint8_t {
  kNumber,
  kBool,       // u8: 0 or 1
  kDate32,     // i32: days since 1970
  kDate64,     // i64: milliseconds since 1970
  kTime32,     // i32: seconds or milliseconds since midnight
  kTime64,     // i64: microseconds or nanoseconds since midnight
  kTimestamp,  // i64: units since 1970, in UTC if there is a timezone
  kDuration,   // i64: units
};

enum class TimeUnit : std::uint8_t { kSecond, kMilli, kMicro, kNano };

struct LogicalType {
  LogicalKind kind = LogicalKind::kNumber;
  TimeUnit unit = TimeUnit::kSecond;  // of times, timestamps and durations
  std::string timezone;               // of timestamps; may be empty
};

bool has_unit(LogicalKind kind);

// "number", "bool", "date32", ...
std::string_view to_string(LogicalKind kind);
std::optional<LogicalKind> logical_kind_of(std::string_view name);
// "s", "ms", "us", "ns".
std::string_view to_string(TimeUnit unit);
std::optional<TimeUnit> time_unit_of(std::string_view name);
// How many digits of a unit are behind the point of a second: 0, 3, 6 or 9.
constexpr int decimals_of(TimeUnit unit) { return 3 * static_cast<int>(unit); }
// How many of these units make a second.
constexpr std::int64_t per_second(TimeUnit unit) {
  std::int64_t count = 1;
  for (int i = 0; i < decimals_of(unit); ++i) count *= 10;
  return count;
}

// The number type that stores the values; none for plain numbers, which may have any type.
std::optional<NumberType> storage_of(LogicalKind kind);

// For messages, e.g. "timestamp[ms, UTC]"; for a plain number the name of its type.
std::string describe(const LogicalType& logical, NumberType type);

}  // namespace numpact::cli
