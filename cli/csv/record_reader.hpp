// SPDX-License-Identifier: Apache-2.0
// Reads the first records of a CSV file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "csv/dialect.hpp"
#include "csv/record_block.hpp"
#include "numpact/stream.hpp"

namespace numpact::cli {

struct CsvField {
  std::string_view text;  // without its quotes; doubled quotes are unescaped
  bool is_quoted = false;
  std::uint64_t line = 0;  // line where it begins, from 1
};

// Reads record by record, with the rules of csv/record_block.hpp. All functions throw Failure. The
// source must outlive the reader.
class CsvRecordReader {
 public:
  // `buffer_bytes`: what the source has, if that is known. The buffer grows for longer records.
  CsvRecordReader(ByteSource& source, std::string place, std::size_t buffer_bytes = kFrontBytes);
  ~CsvRecordReader();
  CsvRecordReader(const CsvRecordReader&) = delete;
  CsvRecordReader& operator=(const CsvRecordReader&) = delete;

  // Returns the next bytes without consuming them: at least kFrontBytes if the file has as many.
  std::string_view front();
  bool front_is_whole() const { return at_end_; }
  void skip_bytes(std::size_t count) { begin_ += count; }

  void set_dialect(const CsvDialect& dialect) { dialect_ = dialect; }
  // A record of more fields is refused as soon as they are found.
  void set_max_fields(std::size_t count) { max_fields_ = count; }

  // Returns the byte appended after the source's end while it was read, if any. A record that ends
  // there without a line end may then be incomplete, and is left out.
  using ByteAfterEnd = std::function<std::optional<char>()>;
  void set_byte_after_end(ByteAfterEnd byte_after_end) {
    byte_after_end_ = std::move(byte_after_end);
  }
  // The line of the incomplete record that was left out.
  const std::optional<std::uint64_t>& truncated_line() const { return truncated_line_; }

  // Reads the next record; its texts are valid until the next call. Returns false at the end. An
  // empty line is a record with one empty field.
  bool next(std::vector<CsvField>& fields);

  // For a reader of the records that follow: the bytes that were read, bytes from the source (0 at
  // its end), and the line of the next record.
  std::string_view take_rest();
  std::size_t read_source(std::span<char> out);
  std::optional<char> byte_after_end() const {
    return byte_after_end_ ? byte_after_end_() : std::nullopt;
  }
  std::uint64_t next_line() const { return next_line_; }

  // Throw the Failures of next().
  [[noreturn]] static void refuse_open_quote(const std::string& place, std::uint64_t line);
  [[noreturn]] static void refuse_long_record(const std::string& place, std::uint64_t line);

  static constexpr std::size_t kFrontBytes = std::size_t{1} << 18;

 private:
  bool fill();
  std::size_t record_size();

  ByteSource& source_;
  std::string place_;
  ByteAfterEnd byte_after_end_;
  std::optional<std::uint64_t> truncated_line_;
  CsvDialect dialect_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // start of the next record
  std::size_t end_ = 0;    // end of the buffered bytes
  bool at_end_ = false;    // of the file
  std::uint64_t next_line_ = 1;
  std::size_t max_fields_ = kMaxRecordBytes;
  RecordBlock block_;  // of the last record
};

}  // namespace numpact::cli
