// SPDX-License-Identifier: Apache-2.0
// Reads rows of a folder of columns: some columns, a range, the rows that a filter selects.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commands/encode_options.hpp"
#include "formats/others.hpp"
#include "formats/table.hpp"
#include "numpact/table_reader.hpp"
#include "pco/condition.hpp"
#include "pco/table_folder.hpp"

namespace numpact::cli {

struct RowQuery {
  std::vector<std::size_t> columns;  // among all columns of the table, in the order of the result
  std::vector<table::FilterComparison> where;
  std::optional<NumberRange> range;  // of rows, before the filter
  bool wants_text = false;           // other columns as text
};

// Removes columns whose values an output does not show, after a call for each: with its name, its
// type, and whether Arrow would show it. `as_text`: the output shows texts, else numbers alone.
using LeaveOut = std::function<void(const std::string&, const std::string&, bool)>;
void leave_out_unshown(const TableFolder& folder, bool as_text, const ValueLimitsRef& limits,
                       const LeaveOut& leave_out, std::vector<std::size_t>& columns);

class FolderRows {
 public:
  // The folder must outlive this object. Fails if columns differ in length. Texts count in
  // `limits`, the caller counts numbers.
  FolderRows(const TableFolder& folder, const RowQuery& query, const DecodeConfig& config,
             ValueLimitsRef limits);
  ~FolderRows();

  // The columns of the result, for the output.
  const OutputPlan& plan() const { return plan_; }
  // For each of them, the index of its column in the table.
  const ManifestEntry& entry(std::size_t column) const { return entries_[query_.columns[column]]; }
  // The next rows, at least one; none at the end. Valid until the second call after this one.
  std::vector<ColumnBlock> next();

 private:
  class TextConditions;
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

  void list_columns(const std::vector<std::size_t>& used);
  // `compared`: the columns of the comparisons.
  void open_scan(DecodeConfig config, std::vector<table::Condition> conditions,
                 std::size_t used_count);
  ColumnBlock take_numbers(Values& values, const table::BatchColumn& column) const;
  ColumnBlock take_coded(std::size_t column, Values& values, const table::BatchColumn& from) const;
  ColumnBlock take_texts(std::size_t column, Block& block, const table::Batch& batch);
  // Throws the failure of the table, or what a function that it called has thrown.
  void check_table(const Status& status, const table::Failure& failure) const;

  const TableFolder& folder_;
  RowQuery query_;
  ValueLimitsRef limits_;
  std::span<const ManifestEntry> entries_;
  OutputPlan plan_;
  std::vector<std::optional<std::size_t>> others_index_;  // of all columns: the file of others_
  std::vector<std::size_t> other_at_;                     // of plan_.others: the file of others_
  std::unique_ptr<OtherReader> others_;
  std::unique_ptr<TextConditions> conditions_;
  // Of the columns of the result: the texts that numbers stand for; else null.
  std::vector<std::shared_ptr<const table::TextValues>> coded_;
  std::optional<table::Cursor> cursor_;
  Block current_;
  Block last_;
};

}  // namespace numpact::cli
