// SPDX-License-Identifier: Apache-2.0
// What readers and scans hold.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/internal.hpp"
#include "base/mutex.hpp"
#include "numpact/table_reader.hpp"
#include "table/reader/column_file.hpp"
#include "table/reader/null_map.hpp"

namespace numpact::internal {

// Consecutive rows of a column, in files of their own.
struct ColumnPart {
  std::uint64_t first_row = 0;
  std::uint64_t rows = 0;
  std::string place;  // of the numbers, for messages
  ColumnFile file;
  NullMap nulls;
};

// A column whose files are open.
struct OpenColumn {
  std::vector<std::unique_ptr<const ColumnPart>> parts;  // at least one; several have rows
  std::shared_ptr<const table::TextValues> texts;        // of Kind::kText

  // The index of the part with a row; the count of parts behind the last one.
  std::size_t part_of(std::uint64_t row) const {
    const auto found = std::partition_point(parts.begin(), parts.end(), [row](const auto& part) {
      return part->first_row + part->rows <= row;
    });
    return static_cast<std::size_t>(found - parts.begin());
  }
};

}  // namespace numpact::internal

namespace numpact::table {

struct Reader::Table {
  std::string path;
  bool is_file = false;  // a file, not a folder
  std::shared_ptr<Files> files;
  DecodeConfig config;
  FileEnd file_end;  // of a file
  Manifest manifest;
  std::vector<ColumnEntry> entries;
  std::vector<std::size_t> by_name;  // positions, sorted by name

  // Filled when a column is first used.
  struct Slot {
    internal::Mutex mutex;
    std::unique_ptr<const internal::OpenColumn> column;
  };
  mutable std::vector<Slot> slots;

  // A file of the table, for messages.
  std::string place_of(const std::string& file) const {
    return is_file || path.empty() ? (is_file ? path : file) : path + "/" + file;
  }
  // Opens a column of numbers, or finds it open.
  Status load(std::size_t position, const internal::OpenColumn*& column, Failure* failure) const;
  Status check_position(std::size_t position, Failure* failure) const;

 private:
  Status open_part(const Column& column, const NumberPart& described, internal::ColumnPart& part,
                   Failure* failure) const;
  Status open_texts(const Column& column, internal::OpenColumn& open, Failure* failure) const;
};

struct Scan::Plan {
  // Comparisons with one column, or of two.
  struct Test {
    enum class Kind : std::uint8_t { kNumbers, kPair, kOther };
    Kind kind = Kind::kOther;
    std::size_t column = 0;
    NumberFilter filter = {};  // kNumbers
    PairFilter pair = {};      // kPair
    std::size_t other = 0;     // kPair: the position of the second column
    std::size_t number = 0;    // kOther: as Query::others has it
  };
  // Tests which all must hold, and a clause, of which one of them must.
  using Tests = std::vector<Test>;
  using Clause = std::vector<Tests>;

  std::shared_ptr<const Reader::Table> table;
  Query query;  // without its conditions
  std::uint64_t rows = 0;
  std::vector<Clause> clauses;  // which all must hold
  std::vector<RowRange> ranges;
  bool has_others = false;  // the query has columns that Pco cannot hold
};

}  // namespace numpact::table
