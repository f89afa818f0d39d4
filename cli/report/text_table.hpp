// SPDX-License-Identifier: Apache-2.0
// Formats tables as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace numpact::cli {

class TextTable {
 public:
  enum class Align { kLeft, kRight };

  TextTable() = default;
  // With columns of these titles; after ">" those of numbers, which are right-aligned.
  TextTable(std::initializer_list<std::string_view> titles) {
    for (const std::string_view title : titles) {
      const bool is_right = title.starts_with('>');
      add_column(std::string(title.substr(is_right)), is_right ? Align::kRight : Align::kLeft);
    }
  }
  // Adds a column on the right. Longer cells are truncated to `max_width` characters, with a mark.
  void add_column(std::string title, Align align, std::size_t max_width = 1000);
  void add_row(std::vector<std::string> cells);
  // Adds a horizontal line, or a heading that spans the table.
  void add_rule();
  void add_heading(const std::string& text);
  // Narrows a column until no line is wider than `width` or the column has `min_width` characters.
  void fit(std::size_t column, std::size_t min_width, std::size_t width);

  // The lines of the table, each indented and terminated.
  std::string text(std::size_t indent = 0) const;

 private:
  struct Column {
    std::string title;
    Align align;
    std::size_t max_width;
  };
  struct Row {
    enum class Kind { kCells, kRule, kHeading };
    Kind kind = Kind::kCells;
    std::vector<std::string> cells;  // of a heading: its text
  };
  std::size_t width_of(std::size_t column) const;
  std::size_t full_width() const;

  std::string line(const std::vector<std::string>& cells,
                   const std::vector<std::size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

// Truncates UTF-8 text to `max_width` characters; the last one becomes '~' if text was removed.
std::string shorten(std::string_view text, std::size_t max_width);
// Removes the start instead of the end; the first character becomes '~'.
std::string shorten_front(std::string_view text, std::size_t max_width);

// Groups digits by three: 1234567 becomes "1,234,567". For counts in reports, summaries and notes.
// Errors, positions outside of tables, and JSON have plain digits.
std::string grouped(std::uint64_t number);

// "1 column", "1,200 columns": grouped(), and the plural by an s.
std::string counted(std::uint64_t number, std::string_view noun);

}  // namespace numpact::cli
