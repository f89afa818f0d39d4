// SPDX-License-Identifier: Apache-2.0
// The null rows of a column: rows as numbers and back, and numbers spread over rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/internal.hpp"
#include "numpact/table.hpp"
#include "numpact/types.hpp"

namespace numpact::internal {

class NullMap {
 public:
  // Bytes that the map may take: 1 for a run of less than 128 rows, which few rows have more than
  // one of.
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;

  NullMap() = default;  // no row is null
  NullMap(std::uint64_t numbers, std::uint64_t nulls, std::uint64_t max_bytes)
      : check_(numbers, nulls), max_bytes_(max_bytes) {}

  // Takes the next lengths of runs, of rows with numbers and null rows in turns. kCorrupt;
  // kLimitExceeded.
  Status add(std::span<const std::uint64_t> lengths);
  Status finish() const { return check_.finish(); }

  bool empty() const { return marks_.empty(); }
  // How many numbers lie in the rows before `row`, at most all.
  std::uint64_t numbers_before(std::uint64_t row) const;
  // The row of an existing number.
  std::uint64_t row_of(std::uint64_t number) const;
  // Spreads the numbers of `count` rows from `first` on, which end at out + count * size, so that
  // they begin at `out` with 0 for null rows. `valid`: count bytes, or null.
  void spread(std::uint64_t first, std::size_t count, std::size_t size, std::byte* out,
              std::uint8_t* valid) const;

 private:
  // Where every kStep-th run begins, and it is one of numbers.
  struct Mark {
    std::uint64_t row;
    std::uint64_t number;
    std::size_t at;  // in runs_
  };
  static constexpr std::uint64_t kStep = 256;

  class Walk;

  table::NullRunCheck check_{0, 0};
  std::uint64_t max_bytes_ = kMaxBytes;
  std::uint64_t run_count_ = 0;
  std::uint64_t row_ = 0;
  std::uint64_t number_ = 0;
  std::vector<std::uint8_t> runs_;  // lengths in groups of seven bits, the lowest first
  std::vector<Mark> marks_;
};

}  // namespace numpact::internal
