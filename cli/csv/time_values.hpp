// SPDX-License-Identifier: Apache-2.0
// Collects the dates, times or timestamps of one CSV column and finds the coarsest unit that keeps
// every digit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "csv/occurrence.hpp"
#include "numbers/logical_type.hpp"
#include "text/literals.hpp"

namespace numpact::cli {

struct TimeRun;

// Turns literals into 64-bit slots as they arrive, and slots into stored numbers at the end. A slot
// is in the finest unit seen so far: days, seconds, and so on. Dates among timestamps are
// midnights. With a stated type, all slots are in its unit.
class TimeValues {
 public:
  enum class Unit : std::uint8_t { kDay, kSecond, kMilli, kMicro, kNano };

  explicit TimeValues(const std::optional<LogicalType>& stated);

  // Returns the slot of the next value. Literals must be all times, or all dates and timestamps.
  std::uint64_t add(const Literal& literal, std::uint64_t line);
  // Adds a run, the slots of which may change. There must be no stated type. Returns false, and
  // adds nothing, if its values must be added one by one.
  bool add_run(const TimeRun& run, std::span<std::uint64_t> slots);

  // The unit of a literal, and its value in a unit at least as fine. Returns false if the value
  // exceeds the slot.
  static Unit unit_for(const Literal& literal);
  static std::int64_t per_second(Unit unit);
  static std::size_t fraction_digits(Unit unit);
  static bool in_unit(std::int64_t seconds, std::uint32_t nanoseconds, Unit unit,
                      std::int64_t& value);

  // The following functions may be called after all values were added.
  LogicalType logical_type() const;
  // Why no type can store all values, with line and text; none if one can.
  std::optional<std::string> problem() const;
  // Messages for the user about values that are stored.
  std::vector<std::string> notes() const;
  // Converts slots `first`, `first` + 1, ... to the number type that stores the logical type.
  void convert(std::span<const std::uint64_t> slots, std::uint64_t first, std::byte* out) const;

 private:
  static Unit unit_of(const LogicalType& type);

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
  std::optional<std::string> stated_problem() const;

  std::optional<LogicalType> stated_;
  std::uint64_t count_ = 0;
  std::vector<Segment> segments_;
  bool are_times_ = false;
  Extreme earliest_;
  Extreme latest_;
  Occurrence zoned_;
  Occurrence zoneless_;
  Occurrence too_fine_;
  Occurrence offsets_;
  Occurrence finer_;  // than the unit of the stated type
};

// Values in succession that became slots apart from the values before them. All are times, or all
// dates and timestamps, of which either all or none have a time zone.
struct TimeRun {
  TimeValues::Unit unit = TimeValues::Unit::kDay;  // of the slots
  Literal first;
  std::uint64_t first_line = 0;
  std::uint64_t offset_count = 0;  // values with an offset from UTC
  Literal first_offset;
  std::uint64_t first_offset_line = 0;
  Literal earliest;  // the first of equal ones
  std::uint64_t earliest_line = 0;
  Literal latest;
  std::uint64_t latest_line = 0;
};

}  // namespace numpact::cli
