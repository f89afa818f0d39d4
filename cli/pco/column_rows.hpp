// SPDX-License-Identifier: Apache-2.0
// The rows of one column of a folder: its numbers, and which rows are null.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "formats/others.hpp"
#include "formats/table.hpp"
#include "pco/manifest.hpp"
#include "pco/pco_file.hpp"

namespace numpact::cli {

class ColumnRows {
 public:
  virtual ~ColumnRows() = default;
  // Returns the next rows, none at the end. They stay valid until the second next() after this one.
  virtual ColumnBlock next() = 0;
};

// For a column without nulls. `numbers` must outlive the result, and must keep its last block if
// the caller relies on next() above.
std::unique_ptr<ColumnRows> rows_without_nulls(PcoInput& numbers);

// Reads other columns for several threads.
struct SharedOthers {
  std::unique_ptr<OtherReader> reader;
  ValueLimitsRef limits;  // which the texts count in
  std::mutex mutex;
};

// For an other column: `rows` rows from `first` on. `others`: where the texts of `file` come from;
// null if only their place is needed. `place`: for messages.
std::unique_ptr<ColumnRows> rows_of_other(std::shared_ptr<SharedOthers> others, std::size_t file,
                                          std::uint64_t first, std::uint64_t rows,
                                          std::string place);

// Reads the file of null runs of a column from its beginning. All functions throw a Failure that
// names `place`.
class RunReader {
 public:
  // First reads all runs, and fails if they contradict the column's counts.
  RunReader(const FileRef& file, std::string place, const DecodeConfig& config,
            const table::NumberPart& part);

  // A run of rows that are all null or all not null. next() returns at most `max_rows` rows of the
  // current run; 0 rows at the end.
  struct Run {
    std::uint64_t rows;
    bool is_null;
  };
  Run next(std::uint64_t max_rows);
  // Skips `rows` rows and returns how many of them have numbers. Fails if there are fewer rows.
  std::uint64_t count_numbers(std::uint64_t rows);
  std::uint64_t run_count() const { return run_count_; }
  PcoNumbers& file() { return file_; }

 private:
  bool fill();

  PcoNumbers file_;
  NumberView block_;
  std::size_t at_ = 0;
  std::uint64_t left_ = 0;  // rows left in the current run
  bool is_null_ = true;     // whether the current run is null; the first run is not
  std::uint64_t run_count_ = 0;
};

// For the next `rows` rows of a column with nulls. `numbers` provides the values of the other rows.
std::unique_ptr<ColumnRows> rows_with_nulls(PcoInput& numbers, std::unique_ptr<RunReader> runs,
                                            std::uint64_t rows);

}  // namespace numpact::cli
