// SPDX-License-Identifier: Apache-2.0
// The null rows of a column as run lengths.
#pragma once

#include <cstdint>
#include <vector>

namespace numpact::cli {

// Runs alternate: rows with numbers, null rows, rows with numbers, and so on, as in
// docs/format/arrow-column.md. The first run has rows with numbers and may be empty. Complete runs
// can be taken early, so that a long column is never held as a whole.
class NullRuns {
 public:
  void add_numbers(std::uint64_t rows) { add(rows, false); }
  void add_nulls(std::uint64_t rows) { add(rows, true); }

  std::uint64_t rows() const { return rows_; }
  std::uint64_t nulls() const { return nulls_; }

  // Moves out the complete runs. The last run is complete after finish().
  std::vector<std::uint64_t> take();
  void finish();

 private:
  void add(std::uint64_t rows, bool null);

  std::vector<std::uint64_t> complete_;
  std::uint64_t length_ = 0;  // length of the run that may still grow
  bool is_null_ = false;      // whether that run is null
  std::uint64_t rows_ = 0;
  std::uint64_t nulls_ = 0;
};

}  // namespace numpact::cli
