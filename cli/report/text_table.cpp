// SPDX-License-Identifier: Apache-2.0
#include "report/text_table.hpp"

#include <algorithm>
#include <utility>

#include "text/printable.hpp"

namespace numpact::cli {
namespace {

constexpr std::string_view kGap = "  ";

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Number of characters of UTF-8 text.
std::size_t width_of_text(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
}

}  // namespace

std::string shorten(std::string_view text, std::size_t max_width) {
  if (width_of_text(text) <= max_width) return std::string(text);
  std::size_t width = 0;
  std::size_t end = 0;
  while (end < text.size() && (continues_character(text[end]) || ++width < max_width)) ++end;
  return std::string(text.substr(0, end)) + "~";
}

std::string shorten_front(std::string_view text, std::size_t max_width) {
  const std::size_t full = width_of_text(text);
  if (full <= max_width) return std::string(text);
  std::size_t begin = 0;
  for (std::size_t width = full; begin < text.size(); ++begin) {
    if (continues_character(text[begin])) continue;
    if (width < max_width) break;
    --width;
  }
  return "~" + std::string(text.substr(begin));
}

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string counted(std::uint64_t number, std::string_view noun) {
  return grouped(number) + ' ' + std::string(noun) + (number == 1 ? "" : "s");
}

void TextTable::add_column(std::string title, Align align, std::size_t max_width) {
  columns_.push_back({std::move(title), align, max_width});
}

void TextTable::add_row(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = one_line(cell);
  rows_.push_back({Row::Kind::kCells, std::move(cells)});
}

void TextTable::add_rule() { rows_.push_back({Row::Kind::kRule, {}}); }

void TextTable::add_heading(const std::string& text) {
  rows_.push_back({Row::Kind::kHeading, {one_line(text)}});
}

std::size_t TextTable::width_of(std::size_t column) const {
  std::size_t width = width_of_text(columns_[column].title);
  for (const Row& row : rows_) {
    if (row.kind != Row::Kind::kCells || column >= row.cells.size()) continue;
    const std::size_t cell = width_of_text(row.cells[column]);
    width = std::max(width, std::min(columns_[column].max_width, cell));
  }
  return width;
}

std::size_t TextTable::full_width() const {
  std::size_t width = kGap.size() * (columns_.size() - 1);
  for (std::size_t i = 0; i < columns_.size(); ++i) width += width_of(i);
  return width;
}

void TextTable::fit(std::size_t column, std::size_t min_width, std::size_t width) {
  const std::size_t full = full_width();
  if (full <= width) return;
  const std::size_t now = width_of(column);
  const std::size_t reduction = std::min(full - width, now);
  columns_[column].max_width = std::max(min_width, now - reduction);
}

std::string TextTable::line(const std::vector<std::string>& cells,
                            const std::vector<std::size_t>& widths) const {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) text += kGap;
    const std::string cell = shorten(cells[i], widths[i]);
    const std::string space(widths[i] - width_of_text(cell), ' ');
    text += columns_[i].align == Align::kLeft ? cell + space : space + cell;
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::string TextTable::text(std::size_t indent) const {
  std::vector<std::size_t> widths;
  std::vector<std::string> titles;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    widths.push_back(width_of(i));
    titles.push_back(columns_[i].title);
  }
  const std::string margin(indent, ' ');
  std::string out = margin + line(titles, widths) + '\n';
  for (const Row& row : rows_) {
    out += margin;
    switch (row.kind) {
      case Row::Kind::kCells:
        out += line(row.cells, widths);
        break;
      case Row::Kind::kRule:
        out += std::string(full_width(), '-');
        break;
      case Row::Kind::kHeading:
        out += row.cells[0];
        break;
    }
    out += '\n';
  }
  return out;
}

}  // namespace numpact::cli
