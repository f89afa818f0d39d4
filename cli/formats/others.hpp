// SPDX-License-Identifier: Apache-2.0
// Columns that Pco cannot hold (text, decimals, lists, ...), as Arrow IPC files of one column:
// docs/format/table-folder.md. Arrow itself or the Python helper reads and writes them; a build
// with neither fails.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "failure.hpp"
#include "formats/table.hpp"
#include "formats/value_limits.hpp"
#include "io/output_file.hpp"
#include "numpact/table.hpp"

namespace numpact::cli {

using table::kOtherBatchRows;

enum class OtherKind : std::uint8_t {
  kText,
  kDecimal,  // can be written as text without loss
  kOpaque,   // only Arrow knows the values
};

// Rows of a column as text. For kOpaque all texts are empty.
struct TextBlock {
  std::string bytes;                // of all texts, without gaps
  std::vector<std::uint64_t> ends;  // of each text, in `bytes`
  std::vector<std::uint8_t> valid;  // one byte per row, 0 for null; empty: no row is null
  // These are no rows, but categories, which the next ones have; of TextInput.
  bool are_categories = false;

  std::size_t rows() const { return ends.size(); }
  // Adds a row. Its text, if it is not null, is the bytes up to `end`. The first row may be null:
  // `valid` is empty before it in either case.
  void add_row(std::uint64_t end, bool is_null) {
    if (is_null && valid.empty()) valid.assign(rows(), 1);
    if (is_null || !valid.empty()) valid.push_back(is_null ? 0 : 1);
    ends.push_back(end);
  }
  bool is_null(std::size_t row) const { return !valid.empty() && valid[row] == 0; }
  std::string_view text(std::size_t row) const {
    const std::uint64_t begin = row == 0 ? 0 : ends[row - 1];
    return std::string_view(bytes).substr(static_cast<std::size_t>(begin),
                                          static_cast<std::size_t>(ends[row] - begin));
  }
};

// Reads columns of a folder, which are untrusted. All functions throw a Failure that names the file
// and the column. Not thread-safe.
class OtherReader {
 public:
  virtual ~OtherReader() = default;
  virtual OtherKind kind(std::size_t column) const = 0;
  // The rows must exist. They are valid until the next call for the same column. The caller counts
  // what it puts out.
  virtual TextBlock read(std::size_t column, std::uint64_t first, std::uint64_t rows,
                         DecodeUse use) = 0;
  // Decodes the whole column; its values count as output.
  virtual void check(std::size_t column) = 0;
};

// Whether this program can read and write such files here. The first call may take a while.
bool has_arrow();
std::unique_ptr<OtherReader> open_others(const std::vector<OtherFiles>& columns,
                                         const ValueLimitsRef& limits = nullptr);

// Texts to write, in blocks; no rows at the end. A block is valid until the next call. Categories
// come before the rows that have them, and may come again.
class TextInput {
 public:
  virtual ~TextInput() = default;
  virtual const TextBlock& next() = 0;
};

// As many rows without a text.
std::unique_ptr<TextInput> null_texts(std::uint64_t rows);

// Writes a column of text (utf8). Errors name `place`.
OtherColumn write_text(TextInput& input, const std::string& name, ByteSink& file,
                       const std::string& place);

// Rows of a column for a new file, in this order.
struct JoinedRows {
  OtherFile like;                  // its field is that of the column
  std::uint64_t nulls_before = 0;  // null rows
  OtherFiles before;               // files of the column
  std::optional<OtherFile> added;  // new rows
  std::uint64_t nulls_after = 0;   // null rows
  // The column gets the type that holds its values and those of `added` exactly. Else their types
  // must have the same values: the form of text and the indices of a dictionary may differ.
  bool may_widen = false;
  table::Vectors vectors = table::Vectors::kExact;  // of lists that can be vectors

  const OtherFile& last() const { return added ? *added : like; }
};

// Errors name the place of the file that is damaged, else that of the last one.
OtherColumn join_others(const JoinedRows& rows, ByteSink& file);

inline std::string place_of(const OtherFile& file) {
  return file.place.empty() ? column_place(file.file->name(), file.name) : file.place;
}

// Calls read(part, first, rows) for each part of a column that has rows of a range.
template <class RowsOf, class Read>
void for_each_part(std::size_t parts, std::uint64_t first, std::uint64_t rows, RowsOf&& rows_of,
                   Read&& read) {
  for (std::size_t part = 0; part < parts && rows > 0; ++part) {
    const std::uint64_t in_part = rows_of(part);
    if (first >= in_part) {
      first -= in_part;
      continue;
    }
    const std::uint64_t count = std::min(rows, in_part - first);
    read(part, first, count);
    first = 0;
    rows -= count;
  }
}

}  // namespace numpact::cli
