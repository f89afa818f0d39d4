// SPDX-License-Identifier: Apache-2.0
// One column of a CSV file: collects its fields, determines their type, and returns them as
// numbers.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "csv/column_part.hpp"
#include "csv/dialect.hpp"
#include "csv/number_values.hpp"
#include "csv/occurrence.hpp"
#include "csv/record_reader.hpp"
#include "csv/time_values.hpp"
#include "formats/table.hpp"
#include "io/spool.hpp"
#include "numbers/null_runs.hpp"

namespace numpact::cli {

class CsvColumn {
 public:
  // `requested`: the type of the numbers; without it, the narrowest one that keeps every digit.
  // `stated`: the type of the column, which every field must fit without loss; null: none. Not
  // both are given.
  // `spool`, `dialect` and `stated` must outlive the column.
  CsvColumn(const CsvDialect& dialect, Spool& spool, std::optional<NumberType> requested,
            const StatedType* stated);

  void add(const CsvField& field);
  // How to parse its fields by blocks; add_part() adds those of a block with the same results as
  // add() for each. `first_line`: the line of the block's first.
  PartRules part_rules() const;
  void add_part(ColumnPart& part, const RecordBlock& block, std::size_t column,
                std::uint64_t first_line);
  // Whether further fields do not matter. May be called while fields are added.
  bool is_text() const { return is_text_.load(std::memory_order_relaxed); }
  void finish();  // call after the last field

  // The following functions may be called after finish().

  // Describes the column; `unfit` says why a column of text is left out.
  Column describe(const std::string& name) const;
  // Why no type can store the numbers or times; none if one can, or if the column is text.
  std::optional<std::string> problem() const;
  std::vector<std::string> notes() const;
  std::uint64_t numbers() const { return count_; }
  const Occurrence& nulls() const { return nulls_; }

  // Reads the numbers from first to last, without nulls. With `keeps_nulls` it also returns the
  // null runs. The column must outlive the result.
  std::unique_ptr<NumberInput> open(bool keeps_nulls) const;

 private:
  friend class CsvNumbers;
  enum class Family : std::uint8_t { kNone, kNumber, kBool, kDate, kTime, kText, kUnread };
  static Family family_of(LiteralKind kind);
  static Family family_of(const StatedType& stated);

  // A part of a column, and where it is.
  struct Place;
  bool add_run(const ColumnPart::Run& run, std::span<std::uint64_t> slots, const Place& place);
  bool add_number_run(const ColumnPart::Run& run, std::span<std::uint64_t> slots,
                      const Place& place);
  bool add_time_run(const ColumnPart::Run& run, std::span<std::uint64_t> slots, const Place& place);
  void add_nulls(const ColumnPart::Run& run, const Place& place);
  void add_slots(std::span<const std::uint64_t> slots);

  std::optional<std::string> values_problem() const;
  void add_null(const CsvField& field);
  void become_text(const CsvField& field);
  void add_slot(std::uint64_t slot);
  void flush_slots();
  void flush_runs();
  NumberType stored_type() const;

  // What few columns need, since a line may have hundreds of thousands of fields: each takes some
  // 200 bytes, and what its values need.
  struct Problems {
    Occurrence misfit;  // fields that are not of the family of the stated type
    Occurrence text;    // the first field that is not of the family of the fields before it
    std::string_view why_text;
  };
  NumberValues& number_values() const;
  TimeValues& time_values() const;
  Problems& problems();
  void append(std::optional<Spool::Stream>& stream, std::span<const std::byte> bytes);

  const CsvDialect& dialect_;
  Spool& spool_;
  const StatedType* stated_;
  std::optional<Spool::Stream> slots_;  // none: empty
  std::optional<Spool::Stream> runs_;
  Family family_ = Family::kNone;
  std::atomic<bool> is_text_ = false;  // family_ is kText
  std::optional<NumberType> requested_;
  mutable std::unique_ptr<NumberValues> number_values_;  // made when they are needed
  mutable std::unique_ptr<TimeValues> time_values_;
  std::unique_ptr<Problems> problems_;
  Occurrence nulls_;
  NullRuns null_runs_;
  std::uint64_t count_ = 0;  // number of slots
  std::vector<std::uint64_t> pending_;
};

}  // namespace numpact::cli
