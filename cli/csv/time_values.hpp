// SPDX-License-Identifier: Apache-2.0
// The dates, times or timestamps of one CSV column: finds the coarsest unit that keeps every digit.
#ifndef NUMPACT_CLI_CSV_TIME_VALUES_HPP
#define NUMPACT_CLI_CSV_TIME_VALUES_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "csv/literal.hpp"
#include "csv/occurrence.hpp"
#include "logical_type.hpp"

namespace numpact::cli {

// Turns literals into slots of 64 bits as they come, and slots into stored numbers once all have
// come. A slot is in the finest unit up to then: days, seconds, and so on. Dates among timestamps
// are midnights.
class TimeValues {
 public:
  // The slot of the next value. Literals are all times, or all dates and timestamps.
  std::uint64_t add(const Literal& literal, std::uint64_t line);

  // These hold once all values were added.
  LogicalType logical_type() const;
  // Why no type keeps all values, with line and text; none if one does.
  std::optional<std::string> problem() const;
  // What a user should know about values that are kept.
  std::vector<std::string> notes() const;
  // Slots `first`, `first` + 1, ... as numbers of the type that stores the logical type.
  void convert(std::span<const std::uint64_t> slots, std::uint64_t first, std::byte* out) const;

 private:
  enum class Unit : std::uint8_t { kDay, kSecond, kMilli, kMicro, kNano };
  static Unit unit_for(const Literal& literal);
  static std::int64_t per_second(Unit unit);
  // False if 64 bits do not hold it.
  static bool in_unit(std::int64_t seconds, std::uint32_t nanoseconds, Unit unit,
                      std::int64_t& value);

  struct Segment {
    std::uint64_t first_slot;
    Unit unit;
  };
  struct Extreme {
    std::int64_t seconds = 0;
    std::uint32_t nanoseconds = 0;
    Occurrence where;
  };
  void note_extremes(const Literal& literal, std::uint64_t line);

  std::uint64_t count_ = 0;
  std::vector<Segment> segments_;
  bool are_times_ = false;
  Extreme earliest_;
  Extreme latest_;
  Occurrence zoned_;
  Occurrence zoneless_;
  Occurrence too_fine_;
  Occurrence offsets_;
};

}  // namespace numpact::cli

#endif
