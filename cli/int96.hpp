// SPDX-License-Identifier: Apache-2.0
// Parquet's old timestamps of 96 bits: which unit of 64 bits holds all of a column.
#ifndef NUMPACT_CLI_INT96_HPP
#define NUMPACT_CLI_INT96_HPP

#include <cstdint>
#include <optional>
#include <string>

#include "logical_type.hpp"

namespace numpact::cli {

// Takes each timestamp as Arrow converts it to three units. Arrow computes modulo 2^64, so
// nanoseconds wrap outside of the years 1677 to 2262. Milliseconds never wrap, which shows it.
class Int96Unit {
 public:
  void add(std::uint64_t row, std::int64_t nanos, std::int64_t micros, std::int64_t millis);

  // Nanoseconds if they hold all timestamps, else microseconds if these do and no timestamp is
  // finer; none if neither does.
  std::optional<TimeUnit> unit() const;
  // For a message, where there is none: row and value of the first that nanoseconds do not hold.
  std::string problem() const;

 private:
  bool nanos_fit_ = true;
  bool micros_fit_ = true;
  std::uint64_t bad_row_ = 0;
  std::int64_t bad_millis_ = 0;
};

}  // namespace numpact::cli

#endif
