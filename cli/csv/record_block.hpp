// SPDX-License-Identifier: Apache-2.0
// A block of whole records of a CSV file, which is split into fields apart from other blocks.
//
// A record ends with a line feed, a carriage return, or both, outside of quotes. A quote opens only
// at the beginning of a field; text after the closing quote belongs to the field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "csv/dialect.hpp"
#include "csv/word.hpp"

namespace numpact::cli {

// Maximum length of a record. An unclosed quote turns the rest of the file into one record, which
// must not fill the memory.
inline constexpr std::size_t kMaxRecordBytes = std::size_t{256} << 20;

// Lines count from 0 at the beginning of the block.
class RecordBlock {
  struct Extent {
    std::uint32_t from;
    std::uint32_t size_and_quote;  // 2 * size, and 1 if the field is quoted
  };

 public:
  // Why the rows end before the bytes do.
  enum class Stop : std::uint8_t {
    kNone,
    kWidth,      // a record of another width
    kOpenQuote,  // a quote is opened and never closed
    kTruncated,  // the record was written only in part when the file was opened
    kTooLong,    // the record exceeds kMaxRecordBytes
  };

  // The memory of the bytes, which keeps its contents; at least `capacity` of them.
  std::span<char> memory(std::size_t capacity);
  // The first `size` bytes are whole records.
  void set_size(std::size_t size) {
    size_ = size;
    stop_ = Stop::kNone;
    byte_after_end_.reset();
  }
  // The bytes are the end of the source, of which another byte may be known by now.
  void end_source(std::size_t size, std::optional<char> byte_after_end) {
    set_size(size);
    byte_after_end_ = byte_after_end;
  }
  void be_too_long() {
    set_size(0);
    stop_ = Stop::kTooLong;
  }
  std::size_t size() const { return size_; }
  // Whether it has memory for far more than a block.
  bool is_long() const { return bytes_.size() > kLongBytes; }

  // Finds the fields. Records with one empty field are skipped unless `width` is 1.
  void split(const CsvDialect& dialect, std::size_t width);
  // Finds the fields of the only record; Stop::kWidth: they are more than `max_width`.
  void split_first(const CsvDialect& dialect, std::size_t max_width);

  std::size_t width() const { return width_; }
  std::size_t rows() const { return rows_; }
  // Lines of the records, if all were split.
  std::uint64_t lines() const { return lines_; }
  Stop stop() const { return stop_; }
  std::uint64_t stop_line() const { return stop_line_; }
  std::size_t stop_width() const { return stop_width_; }

  // Texts have kWordBytes readable bytes behind them.
  std::string_view text(std::size_t row, std::size_t column) const {
    const Extent& field = fields_[row * width_ + column];
    return {bytes_.data() + field.from, field.size_and_quote >> 1};
  }
  // The texts of a column, row by row.
  class Texts {
   public:
    std::string_view operator[](std::size_t row) const {
      const Extent& field = first_[row * width_];
      return {bytes_ + field.from, field.size_and_quote >> 1};
    }

   private:
    friend RecordBlock;
    Texts(const char* bytes, const Extent* first, std::size_t width)
        : bytes_(bytes), first_(first), width_(width) {}
    const char* bytes_;
    const Extent* first_;
    std::size_t width_;
  };
  Texts texts(std::size_t column) const { return {bytes_.data(), fields_.data() + column, width_}; }
  bool is_quoted(std::size_t row, std::size_t column) const {
    return (fields_[row * width_ + column].size_and_quote & 1) != 0;
  }
  std::uint64_t line(std::size_t row, std::size_t column) const {
    return field_lines_.empty() ? row : field_lines_[row * width_ + column];
  }

 private:
  static constexpr std::size_t kLongBytes = std::size_t{1} << 20;

  // A field and its place while the record is scanned.
  struct Scan {
    std::size_t at = 0;
    std::uint64_t line = 0;
    bool is_open = false;     // the field ends within quotes
    bool has_quotes = false;  // the last record that split_record() has scanned
  };

  void begin(const CsvDialect& dialect, std::size_t width);
  void split_lines(Scan& scan);
  bool split_record(Scan& scan, Extent* fields);
  Extent quoted_field(Scan& scan);
  Extent without_quotes(std::size_t from, std::size_t to);
  std::size_t field_end(std::size_t at) const;
  void stop(Stop why, std::uint64_t line) {
    stop_ = why;
    stop_line_ = line;
  }
  void note_line(std::size_t column, std::uint64_t line);

  std::vector<char> bytes_;
  std::size_t size_ = 0;
  std::optional<char> byte_after_end_;
  std::size_t width_ = 1;
  std::size_t rows_ = 0;
  std::uint64_t lines_ = 0;
  std::vector<Extent> fields_;              // row by row; more than are used
  std::vector<std::uint32_t> field_lines_;  // empty while each row is one line
  Stop stop_ = Stop::kNone;
  std::uint64_t stop_line_ = 0;
  std::size_t stop_width_ = 0;
  // Of the dialect.
  char quote_ = '"';
  bool has_quote_ = true;
  char delimiter_ = ',';
};

}  // namespace numpact::cli
