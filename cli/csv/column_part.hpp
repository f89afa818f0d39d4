// SPDX-License-Identifier: Apache-2.0
// The fields of one column in one block of records as numbers, made apart from other blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "csv/dialect.hpp"
#include "csv/plain_number.hpp"
#include "csv/record_block.hpp"
#include "csv/time_values.hpp"
#include "numpact/types.hpp"
#include "text/literals.hpp"

namespace numpact::cli {

// How a column turns fields into slots. This does not depend on the rows before.
struct PartRules {
  const CsvDialect* dialect = nullptr;
  std::optional<NumberType> requested;  // of numbers
  // All fields are to be added one by one.
  bool replays_all = false;
};

// Runs of fields that are kept as they are written have their slots here. All other fields, such as
// text, and numbers that the user is told of, are only named: CsvColumn adds them one by one, by
// the rules that hold for every field.
class ColumnPart {
 public:
  enum class Kind : std::uint8_t { kReplay, kNulls, kNumbers, kBools, kTimes };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // Fields in succession. Rows count from the beginning of the block; kNone: there is none.
  struct Run {
    Kind kind = Kind::kReplay;
    std::uint32_t first_row = 0;
    std::uint32_t row_n = 0;
    std::uint32_t first_slot = 0;
    std::uint32_t slot_n = 0;
    std::uint32_t first_null = 0;  // in nulls()
    std::uint32_t null_n = 0;
    // Numbers: the members of NumberRun.
    std::uint32_t first_float_slot = 0;
    std::uint32_t first_float_row = kNone;
    std::uint32_t negative_row = kNone;
    std::uint32_t beyond_row = kNone;
    std::uint32_t inexact_row = kNone;
    // Times: those of TimeRun.
    TimeValues::Unit unit = TimeValues::Unit::kDay;
    bool are_times = false;  // of day
    bool are_zoned = false;
    std::uint32_t first_value_row = kNone;
    std::uint32_t offset_n = 0;
    std::uint32_t first_offset_row = kNone;
    std::uint32_t earliest_row = 0;
    std::uint32_t latest_row = 0;
    std::int64_t earliest = 0;
    std::int64_t latest = 0;
  };

  void parse(const RecordBlock& block, std::size_t column, const PartRules& rules);
  void clear();

  const std::vector<Run>& runs() const { return runs_; }
  std::vector<std::uint64_t>& slots() { return slots_; }
  const std::vector<std::uint32_t>& nulls() const { return nulls_; }  // rows

 private:
  class Parser;

  std::vector<Run> runs_;
  std::vector<std::uint64_t> slots_;
  std::vector<std::uint32_t> nulls_;
};

}  // namespace numpact::cli
