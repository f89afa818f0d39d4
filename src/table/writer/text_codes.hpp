// SPDX-License-Identifier: Apache-2.0
// Texts that are collected as their places among the different ones.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "numpact/table.hpp"
#include "numpact/table_writer.hpp"

namespace numpact::internal {

// Keeps 4 bytes for each row, 5 once one is null.
class TextCodes {
 public:
  enum class Added : std::uint8_t { kAll, kTooMany, kNotText };

  // `before`: texts that the column has already. `needs_repeats`: else the texts are taken however
  // many of them differ. Of categories the texts that came stay in order.
  TextCodes(const table::TextValues& before, bool is_bytes, bool needs_repeats,
            bool are_categories);

  // Adds categories and rows with them, as TableWriter::add_categories().
  Added add_categories(const table::TextRows& texts, std::span<const std::uint32_t> places,
                       std::span<const std::uint8_t> valid);
  // Adds rows, or none of them: kTooMany of them differ, as the format's page says, or kNotText:
  // one is not UTF-8. Their offsets are in order.
  Added add(const table::TextRows& rows);
  // After the last row: whether the first rows repeat, if there were too few to tell before.
  bool repeat() const;
  // Sorts the texts that came, unless they are categories.
  void sort();

  const table::TextValues& texts() const { return texts_; }
  std::span<const std::uint32_t> codes() const { return codes_; }
  // 0 for null rows, else 1; empty: no row is null.
  std::span<const std::uint8_t> valid() const { return valid_; }
  bool has_new_texts() const { return texts_.size() > first_new_; }

 private:
  std::uint32_t code_of(std::string_view text);
  std::uint32_t* slot_of(std::string_view text);
  void fill_slots();
  void note_nulls();
  void forget_from(std::size_t texts, std::size_t rows);

  table::TextValues texts_;
  std::size_t first_new_;
  bool is_bytes_;
  bool needs_repeats_;
  bool are_categories_;
  std::vector<std::uint32_t> codes_;
  std::vector<std::uint8_t> valid_;
  bool has_nulls_ = false;
  std::uint64_t seed_;
  std::vector<std::uint32_t> slots_;  // places of texts by hashes, plus 1; 0: free
};

}  // namespace numpact::internal
