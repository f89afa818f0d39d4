// SPDX-License-Identifier: Apache-2.0
// The meaning of a column's numbers. Dates, times and booleans are stored as integers.
#pragma once

#include <cstdint>
#include <string>

#include "numpact/table.hpp"
#include "numpact/types.hpp"

namespace numpact::cli {

inline constexpr std::int64_t kSecondsPerDay = 86'400;

using LogicalKind = table::Kind;
using TimeUnit = table::Unit;

struct LogicalType {
  LogicalKind kind = LogicalKind::kNumber;
  TimeUnit unit = TimeUnit::kSecond;  // of times, timestamps and durations
  std::string timezone;               // of timestamps; may be empty
  table::DecimalType decimal = {};    // of decimals
};

// How many digits of a unit are behind the point of a second: 0, 3, 6 or 9.
constexpr int decimals_of(TimeUnit unit) { return 3 * static_cast<int>(unit); }
// How many of these units make a second.
constexpr std::int64_t per_second(TimeUnit unit) {
  std::int64_t count = 1;
  for (int i = 0; i < decimals_of(unit); ++i) count *= 10;
  return count;
}

// For messages, e.g. "timestamp[ms, UTC]" or "decimal128(18, 2)"; for a plain number the name of
// its type.
std::string describe(const LogicalType& logical, NumberType type);

}  // namespace numpact::cli
