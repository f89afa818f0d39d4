// SPDX-License-Identifier: Apache-2.0
// The rows of one column of a folder: its numbers, and where a row is null.
#ifndef NUMPACT_CLI_COLUMN_ROWS_HPP
#define NUMPACT_CLI_COLUMN_ROWS_HPP

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pco_file.hpp"
#include "table.hpp"

namespace numpact::cli {

class ColumnRows {
 public:
  virtual ~ColumnRows() = default;
  // The next rows, none at the end. They are valid until the call after the next one.
  virtual ColumnPiece next() = 0;
};

// All rows have numbers. `numbers` must outlive it, and keep its last piece where that is needed.
std::unique_ptr<ColumnRows> rows_without_nulls(PcoInput& numbers);

// A file of null runs, read from its beginning. All of it throws Failure that names `place`.
class RunReader {
 public:
  RunReader(const FileRef& file, std::string place, const DecodeConfig& config);

  // The next rows of one kind, at most `most`; 0 at the end.
  struct Run {
    std::uint64_t rows;
    bool is_null;
  };
  Run next(std::uint64_t most);
  // How many of the next rows have numbers. Fails if there are fewer rows.
  std::uint64_t count_numbers(std::uint64_t rows);
  // Reads all runs and gives their count. Fails if they do not add up to `numbers` and `nulls`.
  std::uint64_t check(std::uint64_t numbers, std::uint64_t nulls);
  PcoNumbers& file() { return file_; }

 private:
  bool fill();

  PcoNumbers file_;
  NumberView piece_;
  std::size_t at_ = 0;
  std::uint64_t left_ = 0;  // of the run that was begun
  bool is_null_ = true;     // that run is of nulls; the first one is not
  bool is_first_ = true;
  bool starts_with_null_ = false;  // the first run is of no rows
};

// `rows` rows of a column with nulls, whose numbers are those of `numbers`. `to_end`: there must be
// no more rows in `runs`.
std::unique_ptr<ColumnRows> rows_with_nulls(PcoInput& numbers, std::unique_ptr<RunReader> runs,
                                            std::uint64_t rows, bool to_end);

}  // namespace numpact::cli

#endif
