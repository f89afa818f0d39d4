// SPDX-License-Identifier: Apache-2.0
// Tables for people.
#ifndef NUMPACT_CLI_TEXT_TABLE_HPP
#define NUMPACT_CLI_TEXT_TABLE_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace numpact::cli {

class TextTable {
 public:
  enum class Align { kLeft, kRight };

  // Columns from left to right. Cells are cut to `max_width` characters, with a mark.
  void add_column(std::string title, Align align, std::size_t max_width = 1000);
  void add_row(std::vector<std::string> cells);
  // A line across the table, or words across it.
  void add_rule();
  void add_heading(const std::string& text);
  // Cuts the cells of a column further, until no line is wider than `width` or `least` is reached.
  void fit(std::size_t column, std::size_t least, std::size_t width);

  // Lines, each of them indented and ended.
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

// The first characters of UTF-8 text, the last of them '~' where something was cut.
std::string shorten(std::string_view text, std::size_t max_width);

// Digits in groups of three: 1234567 as "1 234 567".
std::string grouped(std::uint64_t number);

}  // namespace numpact::cli

#endif
