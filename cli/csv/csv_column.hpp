// SPDX-License-Identifier: Apache-2.0
// One column of a CSV file: takes its fields one after another, decides what they are, and gives
// them back as numbers.
#ifndef NUMPACT_CLI_CSV_CSV_COLUMN_HPP
#define NUMPACT_CLI_CSV_CSV_COLUMN_HPP

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "csv/dialect.hpp"
#include "csv/number_values.hpp"
#include "csv/occurrence.hpp"
#include "csv/record_reader.hpp"
#include "csv/time_values.hpp"
#include "null_runs.hpp"
#include "spool.hpp"
#include "table.hpp"

namespace numpact::cli {

class CsvColumn {
 public:
  // `wanted`: the type of the numbers, else the narrowest that keeps every digit. `spool` and
  // `dialect` must outlive the column.
  CsvColumn(const CsvDialect& dialect, Spool& spool, std::optional<NumberType> wanted);

  void add(const CsvField& field);
  void finish();  // after the last field

  // The following hold once the column is finished.

  // Name and all; `unfit` says why a column of text is left out.
  Column describe(const std::string& name) const;
  // Why the values are numbers or times that no type keeps; none if they are kept, or are text.
  std::optional<std::string> problem() const;
  std::vector<std::string> notes() const;
  std::uint64_t numbers() const { return count_; }
  const Occurrence& nulls() const { return nulls_; }

  // The numbers from the first to the last, without nulls, whose runs are known if `keeps_nulls`.
  // The column must outlive what it gives.
  std::unique_ptr<NumberInput> open(bool keeps_nulls) const;

 private:
  friend class CsvNumbers;
  enum class Family : std::uint8_t { kNone, kNumber, kBool, kDate, kTime, kText };
  static Family family_of(LiteralKind kind);

  bool is_null(const CsvField& field) const;
  void add_null(const CsvField& field);
  void become_text(const CsvField& field);
  void add_slot(std::uint64_t slot);
  void flush_slots();
  void flush_runs();
  NumberType stored_type() const;

  const CsvDialect& dialect_;
  Spool& spool_;
  Spool::Stream slots_;
  Spool::Stream runs_;
  Family family_ = Family::kNone;
  NumberValues number_values_;
  TimeValues time_values_;
  Occurrence text_;  // the first field that is no number, or not of the family of those before
  std::string_view why_text_;
  Occurrence nulls_;
  NullRuns null_runs_;
  std::uint64_t count_ = 0;  // slots
  std::vector<std::uint64_t> waiting_;
};

}  // namespace numpact::cli

#endif
