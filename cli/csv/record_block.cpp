// SPDX-License-Identifier: Apache-2.0
#include "csv/record_block.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "io/give_back.hpp"

namespace numpact::cli {

// The next delimiter or line end, at most at the end of the bytes.
inline std::size_t RecordBlock::field_end(std::size_t at) const {
  const std::uint64_t delimiters = repeated(static_cast<unsigned char>(delimiter_));
  for (;; at += kWordBytes) {
    const std::uint64_t word = load_word(bytes_.data() + at);
    const std::uint64_t marks = first_zero_mark(word ^ delimiters) |
                                first_zero_mark(word ^ repeated('\n')) |
                                first_zero_mark(word ^ repeated('\r'));
    if (marks != 0) return std::min(at + first_marked(marks), size_);
  }
}

std::span<char> RecordBlock::memory(std::size_t capacity) {
  // A block that held a long record gives its memory back.
  if (is_long() && bytes_.size() > 4 * capacity) give_back(bytes_);
  if (bytes_.size() < capacity + kWordBytes) bytes_.resize(capacity + kWordBytes);
  return std::span(bytes_).first(bytes_.size() - kWordBytes);
}

void RecordBlock::begin(const CsvDialect& dialect, std::size_t width) {
  width_ = width;
  rows_ = 0;
  lines_ = 0;
  field_lines_.clear();
  delimiter_ = dialect.delimiter;
  quote_ = dialect.quote.value_or('\0');
  has_quote_ = dialect.quote && std::memchr(bytes_.data(), quote_, size_) != nullptr;
  bytes_[size_] = '\n';  // ends the last field, so that no search needs to look for the end
}

void RecordBlock::split_first(const CsvDialect& dialect, std::size_t max_width) {
  const auto bytes = std::span(bytes_).first(size_);
  const auto delimiters =
      static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), dialect.delimiter));
  begin(dialect, std::min(delimiters, max_width) + 1);  // some may be in quotes
  fields_.resize(width_);
  Scan scan;
  if (!split_record(scan, fields_.data())) {
    if (stop_ != Stop::kWidth) return;
    width_ = stop_width_;
  }
  stop_ = width_ > max_width ? Stop::kWidth : Stop::kNone;
  rows_ = 1;
  lines_ = scan.line;
}

void RecordBlock::split(const CsvDialect& dialect, std::size_t width) {
  rows_ = 0;
  lines_ = 0;
  if (stop_ != Stop::kNone || size_ == 0) return;
  begin(dialect, width);
  for (Scan scan; scan.at < size_;) {
    if (scan.line == rows_ && field_lines_.empty() && !scan.has_quotes) {
      split_lines(scan);
      lines_ = scan.line;
      if (scan.at == size_) break;
    }
    const std::size_t used = rows_ * width;
    if (fields_.size() < used + width) fields_.resize(std::max(2 * fields_.size(), used + width));
    if (!split_record(scan, fields_.data() + used)) break;
    lines_ = scan.line;
  }
  if (!field_lines_.empty()) field_lines_.resize(rows_ * width);
}

// Appends rows while each is a line of `width` fields without quotes. Stops at any other record,
// and at the last one, which the end of the source may cut.
void RecordBlock::split_lines(Scan& scan) {
  const char* const bytes = bytes_.data();
  const std::size_t width = width_;
  const std::size_t size = size_;
  const std::uint64_t first_line = scan.line - rows_;
  for (;;) {
    const std::size_t used = rows_ * width;
    if (fields_.size() < used + width) fields_.resize(std::max(2 * fields_.size(), used + width));
    Extent* const fields = fields_.data() + used;
    std::size_t at = scan.at;
    for (std::size_t c = 0; c < width; ++c) {
      if (has_quote_ && bytes[at] == quote_) return;
      const std::size_t end = field_end(at);
      fields[c] = {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end - at) << 1};
      if (end >= size || (bytes[end] == delimiter_) == (c + 1 == width)) return;
      at = end + 1;
    }
    if (bytes[at - 1] == '\r' && at < size && bytes[at] == '\n') ++at;
    ++rows_;
    scan.at = at;
    scan.line = first_line + rows_;
    if (at >= size) return;
  }
}

// Appends a row for the record at `scan` unless it is skipped. Returns false if the rows end here.
bool RecordBlock::split_record(Scan& scan, Extent* fields) {
  const std::uint64_t first_line = scan.line;
  scan.has_quotes = false;
  std::size_t found = 0;
  bool is_empty = true;  // no byte before the line end
  for (;;) {
    const std::size_t from = scan.at;
    const std::uint64_t line = scan.line;
    Extent field{static_cast<std::uint32_t>(from), 0};
    if (has_quote_ && from < size_ && bytes_[from] == quote_) {
      scan.has_quotes = true;
      field = quoted_field(scan);
      if (scan.is_open) {
        stop(byte_after_end_ ? Stop::kTruncated : Stop::kOpenQuote,
             byte_after_end_ ? first_line : line);
        return false;
      }
      is_empty = false;
    } else {
      scan.at = field_end(from);
      field.size_and_quote = static_cast<std::uint32_t>(scan.at - from) << 1;
      if (scan.at > from) is_empty = false;
    }
    if (found < width_) fields[found] = field;
    if (line != rows_ || !field_lines_.empty()) note_line(found, line);
    ++found;
    if (scan.at == size_) {
      // The end of the source ends a line unless the line was going on there.
      const char next = byte_after_end_.value_or('\n');
      if (next == '\n' || next == '\r') break;
      stop(Stop::kTruncated, first_line);
      return false;
    }
    const char end = bytes_[scan.at++];
    if (end == delimiter_) continue;
    if (end == '\r' && scan.at < size_ && bytes_[scan.at] == '\n') ++scan.at;
    ++scan.line;
    break;
  }
  if (found == width_) {
    ++rows_;
    return true;
  }
  if (found == 1 && is_empty) return true;
  stop(Stop::kWidth, first_line);
  stop_width_ = found;
  return false;
}

// Keeps the line of a field of the row after the last one.
void RecordBlock::note_line(std::size_t column, std::uint64_t line) {
  if (column >= width_) return;
  const std::size_t used = rows_ * width_;
  if (field_lines_.empty()) {
    // Up to here each row is one line.
    field_lines_.resize(used + width_, static_cast<std::uint32_t>(rows_));
    for (std::size_t i = 0; i < used; ++i) {
      field_lines_[i] = static_cast<std::uint32_t>(i / width_);
    }
  }
  if (field_lines_.size() < used + width_) field_lines_.resize(used + width_);
  field_lines_[used + column] = static_cast<std::uint32_t>(line);
}

// Scans a field that begins with a quote, up to the delimiter or line end.
RecordBlock::Extent RecordBlock::quoted_field(Scan& scan) {
  const std::size_t from = scan.at++;
  bool has_doubled_quotes = false;
  for (;;) {
    const char* const start = bytes_.data() + scan.at;
    const void* const found = std::memchr(start, quote_, size_ - scan.at);
    const std::size_t end =
        found == nullptr
            ? size_
            : static_cast<std::size_t>(static_cast<const char*>(found) - bytes_.data());
    for (std::size_t i = scan.at; i < end; ++i) {
      const bool is_return = bytes_[i] == '\r' && i + 1 < size_ && bytes_[i + 1] != '\n';
      if (bytes_[i] == '\n' || is_return) ++scan.line;
    }
    scan.at = end;
    if (end == size_) {
      scan.is_open = true;
      return {};
    }
    if (end + 1 == size_ || bytes_[end + 1] != quote_) break;
    has_doubled_quotes = true;
    scan.at += 2;
  }
  const std::size_t closing = scan.at++;
  scan.at = field_end(scan.at);
  if (has_doubled_quotes || scan.at > closing + 1) return without_quotes(from, scan.at);
  return {static_cast<std::uint32_t>(from + 1),
          static_cast<std::uint32_t>(closing - from - 1) << 1 | 1};
}

// Removes the quotes of a field in place.
RecordBlock::Extent RecordBlock::without_quotes(std::size_t from, std::size_t to) {
  std::size_t out = from;
  bool is_inside = true;
  for (std::size_t in = from + 1; in < to; ++in) {
    if (is_inside && bytes_[in] == quote_) {
      if (in + 1 < to && bytes_[in + 1] == quote_) {
        ++in;
      } else {
        is_inside = false;
        continue;
      }
    }
    bytes_[out++] = bytes_[in];
  }
  return {static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(out - from) << 1 | 1};
}

}  // namespace numpact::cli
