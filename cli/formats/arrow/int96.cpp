// SPDX-License-Identifier: Apache-2.0
#include "formats/arrow/int96.hpp"

#include <fmt/format.h>

#include "numbers/floor_divide.hpp"
#include "numbers/number_text.hpp"
#include "numpact/types.hpp"

namespace numpact::cli {
void Int96Unit::add(std::uint64_t row, std::int64_t nanos, std::int64_t micros,
                    std::int64_t millis) {
  constexpr std::int64_t kMicrosInMilli = 1'000;
  constexpr std::int64_t kNanosInMilli = 1'000'000;
  constexpr std::uint64_t kNanosInMicro = 1'000;
  if (nanos_fit_ && floor_divide(nanos, kNanosInMilli) != millis) {
    nanos_fit_ = false;
    bad_row_ = row;
    bad_millis_ = millis;
  }
  // Wrapped nanoseconds are still correct modulo 2^64.
  const bool is_finer =
      static_cast<std::uint64_t>(micros) * kNanosInMicro != static_cast<std::uint64_t>(nanos);
  if (floor_divide(micros, kMicrosInMilli) != millis || is_finer) micros_fit_ = false;
}

std::optional<TimeUnit> Int96Unit::unit() const {
  if (nanos_fit_) return TimeUnit::kNano;
  if (micros_fit_) return TimeUnit::kMicro;
  return std::nullopt;
}

std::string Int96Unit::problem() const {
  std::string value;
  append_value(value, {LogicalKind::kTimestamp, TimeUnit::kMilli, ""},
               NumberView(NumberType::kI64, &bad_millis_, 1), 0);
  return fmt::format(
      "row {}: INT96 timestamp {} is out of the range of 64-bit nanoseconds, and microseconds do "
      "not hold all rows either",
      bad_row_, value);
}

}  // namespace numpact::cli
