// SPDX-License-Identifier: Apache-2.0
// Reads rows of a folder of columns: some columns, a range, the rows that a filter selects.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "commands/encode_options.hpp"
#include "formats/others.hpp"
#include "formats/table.hpp"
#include "numpact/random_access.hpp"
#include "pco/column_rows.hpp"
#include "pco/condition.hpp"
#include "pco/table_folder.hpp"

namespace numpact::cli {

// A column of Pco files, read at ascending positions.
class FolderColumn {
 public:
  // The folder and the column must outlive this object.
  FolderColumn(const TableFolder& folder, const ManifestColumn& column, const DecodeConfig& config);

  // The rows must not be before those of an earlier call. Valid until the next call.
  ColumnBlock read(std::uint64_t first, std::uint64_t rows);
  // The rows whose chunks may satisfy the condition by their trailer, in ascending order.
  std::vector<NumberRange> rows_that_may_match(const NumberCondition& condition) const;

 private:
  std::unique_ptr<RunReader> open_runs() const;
  std::vector<NumberRange> rows_of_numbers(const std::vector<NumberRange>& numbers) const;
  void read_numbers(std::uint64_t first, std::uint64_t count, std::vector<std::uint64_t>& out);

  const TableFolder& folder_;
  const ManifestColumn& column_;
  DecodeConfig config_;
  DecodeContext context_;
  std::string place_;
  FileBytes bytes_;
  std::optional<FileReader> reader_;
  std::unique_ptr<RunReader> runs_;  // of a column with nulls
  std::uint64_t row_ = 0;            // the next row of runs_
  std::uint64_t number_ = 0;         // numbers before that row
  std::vector<std::uint64_t> numbers_;
  std::vector<std::uint64_t> spread_;  // the numbers at their rows
  std::vector<std::uint8_t> valid_;
};

struct RowQuery {
  std::vector<std::size_t> columns;  // among all columns of the table, in the order of the result
  std::vector<table::FilterComparison> where;
  std::optional<NumberRange> range;  // of rows, before the filter
  bool wants_text = false;           // other columns as text
};

class FolderRows {
 public:
  // The folder must outlive this object. Fails if columns differ in length. Texts count in
  // `limits`, the caller counts numbers.
  FolderRows(const TableFolder& folder, const RowQuery& query, const DecodeConfig& config,
             ValueLimitsRef limits);

  // The columns of the result, for the output.
  const OutputPlan& plan() const { return plan_; }
  // For each of them, the index of its column in the table.
  const ManifestEntry& entry(std::size_t column) const { return entries_[query_.columns[column]]; }
  OtherKind other_kind(std::size_t other) const { return others_->kind(other_at_[other]); }
  // The next rows, at least one; none at the end. Valid until the second call after this one.
  std::vector<ColumnBlock> next();

 private:
  struct Condition {
    std::size_t column;  // among all columns of the table
    std::variant<NumberCondition, TextCondition> test;
  };
  // The comparisons of the filter with one column.
  struct Compared {
    std::size_t column = 0;
    std::vector<table::FilterComparison> comparisons;
  };
  // The values of one column of a block, of the rows that are kept.
  struct Values {
    std::vector<std::uint64_t> numbers;
    std::vector<std::uint8_t> valid;
    TextBlock texts;
  };
  struct Block {
    std::vector<std::uint8_t> kept;
    std::vector<Values> values;
  };

  void add_conditions();
  void choose_ranges(std::uint64_t rows);
  bool take_range(NumberRange& range);
  // `read`: the rows of the range, null for a column of others_.
  ColumnBlock take(std::size_t column, const NumberRange& range, std::uint64_t count,
                   const ColumnBlock* read);

  const TableFolder& folder_;
  RowQuery query_;
  DecodeConfig config_;
  ValueLimitsRef limits_;
  std::vector<ManifestEntry> entries_;
  OutputPlan plan_;
  std::vector<std::unique_ptr<FolderColumn>> columns_;    // of all columns; null if not needed
  std::vector<std::optional<std::size_t>> others_index_;  // of all columns: the file of others_
  std::vector<std::size_t> other_at_;                     // of plan_.others: the file of others_
  std::unique_ptr<OtherReader> others_;
  std::map<std::string, Compared> compared_;
  std::vector<Condition> conditions_;
  std::vector<NumberRange> ranges_;  // rows that may be selected
  std::size_t range_ = 0;
  std::uint64_t done_ = 0;  // rows of that range
  std::uint64_t block_rows_ = 0;
  Block current_;
  Block last_;
};

}  // namespace numpact::cli
