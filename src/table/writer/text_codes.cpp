// SPDX-License-Identifier: Apache-2.0
#include "table/writer/text_codes.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

#include "json/json.hpp"
#include "table/reader/column_file.hpp"

namespace numpact::internal {
namespace {

// Different texts of a new column: as many as numbers of 16 bits.
constexpr std::size_t kMaxTexts = std::size_t{1} << 16;
// Different texts of all parts of a column: numbers of 32 bits, and slots of twice as many.
constexpr std::size_t kMaxAllTexts = std::size_t{1} << 30;
// Rows of a new column that decide, and how many of them there must be for each different text:
// with fewer, the texts take about as much as the rows.
constexpr std::size_t kFirstRows = table::kOtherBatchRows;
constexpr std::size_t kMinRepeats = 4;
constexpr std::size_t kMinSlots = 1024;

// seed: of the object, so that nobody can choose texts that meet in few slots.
std::uint64_t hash_of(std::string_view text, std::uint64_t seed) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  std::uint64_t hash = seed ^ (text.size() * kOdd);
  const auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * kOdd;
    hash ^= hash >> 32;
  };
  while (text.size() >= sizeof(std::uint64_t)) {
    std::uint64_t word;
    std::memcpy(&word, text.data(), sizeof word);
    mix(word);
    text.remove_prefix(sizeof word);
  }
  std::uint64_t rest = 0;
  if (!text.empty()) std::memcpy(&rest, text.data(), text.size());
  mix(rest);
  return hash;
}

std::uint64_t new_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

// Whether readers take the file of the texts. A length has up to five bytes, and so have the count
// and what precedes it together, less some.
bool fits_file(const table::TextValues& texts) {
  constexpr std::uint64_t kLengthBytes = 5;
  return texts.bytes().size() + kLengthBytes * (texts.size() + 2) <= kMaxTextFileBytes;
}

}  // namespace

TextCodes::TextCodes(const table::TextValues& before, bool is_bytes, bool needs_repeats,
                     bool are_categories)
    : first_new_(before.size()),
      is_bytes_(is_bytes),
      needs_repeats_(needs_repeats),
      are_categories_(are_categories),
      seed_(new_seed()),
      slots_(kMinSlots) {
  for (std::size_t i = 0; i < before.size(); ++i) code_of(before[i]);
}

// The slot of a text, or a free one for it.
std::uint32_t* TextCodes::slot_of(std::string_view text) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = static_cast<std::size_t>(hash_of(text, seed_)) & mask;
  while (slots_[at] != 0 && texts_[slots_[at] - 1] != text) at = (at + 1) & mask;
  return &slots_[at];
}

// After slots were cleared, or texts went.
void TextCodes::fill_slots() {
  std::fill(slots_.begin(), slots_.end(), 0);
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    *slot_of(texts_[i]) = static_cast<std::uint32_t>(i + 1);
  }
}

std::uint32_t TextCodes::code_of(std::string_view text) {
  std::uint32_t* slot = slot_of(text);
  if (*slot == 0) {
    texts_.add(text);
    *slot = static_cast<std::uint32_t>(texts_.size());
    const std::uint32_t code = *slot - 1;
    if (2 * texts_.size() > slots_.size()) {
      slots_.resize(2 * slots_.size());
      fill_slots();
    }
    return code;
  }
  return *slot - 1;
}

void TextCodes::forget_from(std::size_t texts, std::size_t rows) {
  table::TextValues left;
  for (std::size_t i = 0; i < texts; ++i) left.add(texts_[i]);
  texts_ = std::move(left);
  codes_.resize(rows);
  if (has_nulls_) valid_.resize(rows);
  fill_slots();
}

void TextCodes::note_nulls() {
  if (!has_nulls_) valid_.assign(codes_.size(), 1);
  has_nulls_ = true;
}

TextCodes::Added TextCodes::add(const table::TextRows& rows) {
  const std::size_t texts_before = texts_.size();
  const std::size_t rows_before = codes_.size();
  const std::size_t max_texts = needs_repeats_ ? kMaxTexts : kMaxAllTexts;
  const bool has_nulls =
      std::find(rows.valid.begin(), rows.valid.end(), std::uint8_t{0}) != rows.valid.end();
  if (has_nulls) note_nulls();
  const auto refuse = [&](Added why) {
    forget_from(texts_before, rows_before);
    return why;
  };
  std::uint64_t begin = rows.begin;
  for (std::size_t i = 0; i < rows.ends.size(); ++i) {
    const std::uint64_t end = rows.ends[i];
    const bool is_null = has_nulls && rows.valid[i] == 0;
    const std::size_t known = texts_.size();
    const std::string_view text =
        rows.bytes.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    codes_.push_back(is_null ? 0 : code_of(text));
    if (has_nulls_) valid_.push_back(is_null ? 0 : 1);
    begin = end;
    if (texts_.size() == known) continue;
    if (!is_bytes_ && !json::is_utf8(text)) return refuse(Added::kNotText);
    if (texts_.size() > max_texts || !fits_file(texts_)) {
      return refuse(Added::kTooMany);
    }
    const bool is_first = codes_.size() <= kFirstRows;
    if (needs_repeats_ && is_first && texts_.size() > kFirstRows / kMinRepeats) {
      return refuse(Added::kTooMany);
    }
  }
  return Added::kAll;
}

TextCodes::Added TextCodes::add_categories(const table::TextRows& texts,
                                           std::span<const std::uint32_t> places,
                                           std::span<const std::uint8_t> valid) {
  const std::size_t texts_before = texts_.size();
  const std::size_t max_texts = needs_repeats_ ? kMaxTexts : kMaxAllTexts;
  std::vector<std::uint32_t> place_of(texts.ends.size() + 1);  // one more, for null rows
  std::uint64_t begin = texts.begin;
  for (std::size_t i = 0; i < texts.ends.size(); ++i) {
    const std::uint64_t size = texts.ends[i] - begin;
    const std::string_view text =
        texts.bytes.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(size));
    begin = texts.ends[i];
    const bool is_null = !texts.valid.empty() && texts.valid[i] == 0;
    const bool is_text = is_null || is_bytes_ || json::is_utf8(text);
    if (!is_null && is_text) place_of[i] = code_of(text);
    if (is_text && texts_.size() <= max_texts && fits_file(texts_)) continue;
    forget_from(texts_before, codes_.size());
    return is_text ? Added::kTooMany : Added::kNotText;
  }
  const auto is_null_at = [&](std::size_t row) {
    return (!valid.empty() && valid[row] == 0) ||
           (!texts.valid.empty() && texts.valid[places[row]] == 0);
  };
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool is_null = is_null_at(i);
    if (is_null && !has_nulls_) note_nulls();
    codes_.push_back(is_null ? 0 : place_of[places[i]]);
    if (has_nulls_) valid_.push_back(is_null ? 0 : 1);
  }
  return Added::kAll;
}

bool TextCodes::repeat() const {
  if (are_categories_) return true;
  if (codes_.size() >= kFirstRows) return true;
  return !codes_.empty() && texts_.size() * kMinRepeats <= codes_.size();
}

void TextCodes::sort() {
  if (are_categories_) return;
  std::vector<std::uint32_t> order(texts_.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin() + static_cast<std::ptrdiff_t>(first_new_), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return texts_[a] < texts_[b]; });
  std::vector<std::uint32_t> place_of(order.size() + 1);  // one more, for null rows without a text
  table::TextValues sorted;
  for (std::size_t i = 0; i < order.size(); ++i) {
    sorted.add(texts_[order[i]]);
    place_of[order[i]] = static_cast<std::uint32_t>(i);
  }
  for (std::uint32_t& code : codes_) code = place_of[code];
  texts_ = std::move(sorted);
  slots_.clear();
}

}  // namespace numpact::internal
