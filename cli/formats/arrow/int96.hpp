// SPDX-License-Identifier: Apache-2.0
// Finds the 64-bit time unit that can hold a column of Parquet's deprecated 96-bit timestamps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "numbers/logical_type.hpp"

namespace numpact::cli {

// Gets each timestamp as Arrow converts it to three units. Arrow computes modulo 2^64, so
// nanoseconds wrap outside the years 1677 to 2262. Milliseconds never wrap, which reveals the
// wrapping.
class Int96Unit {
 public:
  void add(std::uint64_t row, std::int64_t nanos, std::int64_t micros, std::int64_t millis);

  // Nanoseconds if they hold all timestamps; else microseconds if they do and no timestamp is
  // finer; none otherwise.
  std::optional<TimeUnit> unit() const;
  // For an error message if there is no unit: row and value of the first timestamp that nanoseconds
  // do not hold.
  std::string problem() const;

 private:
  bool nanos_fit_ = true;
  bool micros_fit_ = true;
  std::uint64_t bad_row_ = 0;
  std::int64_t bad_millis_ = 0;
};

}  // namespace numpact::cli
