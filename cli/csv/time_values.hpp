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

#include "csv/literal.hpp"
#include "csv/occurrence.hpp"
#include "numbers/logical_type.hpp"

namespace numpact::cli {

// Turns literals into 64-bit slots as they arrive, and slots into stored numbers at the end. A slot
// is in the finest unit seen so far: days, seconds, and so on. Dates among timestamps are
// midnights. With a stated type, all slots are in its unit.
class TimeValues {
 public:
  explicit TimeValues(const std::optional<LogicalType>& stated);

  // Returns the slot of the next value. Literals must be all times, or all dates and timestamps.
  std::uint64_t add(const Literal& literal, std::uint64_t line);

  // The following functions may be called after all values were added.
  LogicalType logical_type() const;
  // Why no type can store all values, with line and text; none if one can.
  std::optional<std::string> problem() const;
  // Messages for the user about values that are stored.
  std::vector<std::string> notes() const;
  // Converts slots `first`, `first` + 1, ... to the number type that stores the logical type.
  void convert(std::span<const std::uint64_t> slots, std::uint64_t first, std::byte* out) const;

 private:
  enum class Unit : std::uint8_t { kDay, kSecond, kMilli, kMicro, kNano };
  static Unit unit_for(const Literal& literal);
  static Unit unit_of(const LogicalType& type);
  static std::int64_t per_second(Unit unit);
  // Returns false if the value exceeds 64 bits.
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

}  // namespace numpact::cli
