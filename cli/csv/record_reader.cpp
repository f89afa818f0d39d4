// SPDX-License-Identifier: Apache-2.0
#include "csv/record_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "failure.hpp"

namespace numpact::cli {
namespace {

// The end of the first record; 0 if the bytes do not tell. Looks at quotes and line ends only.
std::size_t first_record_end(std::string_view bytes, const CsvDialect& dialect) {
  bool begins_field = true;
  for (std::size_t at = 0; at < bytes.size();) {
    const char c = bytes[at++];
    if (c == '\n') return at;
    if (c == '\r') return at == bytes.size() ? 0 : at + (bytes[at] == '\n' ? 1 : 0);
    if (begins_field && c == dialect.quote) {
      // A quote at the end may be the first of a doubled one.
      for (;; at += 2) {
        at = bytes.find(c, at);
        if (at == std::string_view::npos || at + 1 == bytes.size()) return 0;
        if (bytes[at + 1] != c) break;
      }
      ++at;
    }
    begins_field = c == dialect.delimiter;
  }
  return 0;
}

}  // namespace

CsvRecordReader::CsvRecordReader(ByteSource& source, std::string place, std::size_t buffer_bytes)
    : source_(source),
      place_(std::move(place)),
      buffer_(std::clamp<std::size_t>(buffer_bytes, 1, kFrontBytes)) {}

// Not inline: the buffer is large, and libc++ destroys each byte of it in code that is not
// optimized.
CsvRecordReader::~CsvRecordReader() = default;

// Reads more bytes after the buffered ones. Returns false at the end of the file.
bool CsvRecordReader::fill() {
  if (at_end_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) {
    if (buffer_.size() >= kMaxRecordBytes) refuse_long_record(place_, next_line_);
    buffer_.resize(2 * buffer_.size());
  }
  const std::size_t got = read_source(std::span(buffer_).subspan(end_));
  end_ += got;
  return got > 0;
}

std::size_t CsvRecordReader::read_source(std::span<char> out) {
  if (at_end_) return 0;
  std::size_t got = 0;
  check(source_.read(std::as_writable_bytes(out)).into(got), place_);
  at_end_ = got == 0;
  return got;
}

std::string_view CsvRecordReader::take_rest() {
  const std::string_view rest(buffer_.data() + begin_, end_ - begin_);
  begin_ = end_;
  block_ = RecordBlock();
  return rest;
}

void CsvRecordReader::refuse_open_quote(const std::string& place, std::uint64_t line) {
  fail_corrupt(place, "line {}: a quote is opened and never closed", line);
}

void CsvRecordReader::refuse_long_record(const std::string& place, std::uint64_t line) {
  fail_corrupt(place, "line {}: a record of over {} MiB; is a quote not closed?", line,
               kMaxRecordBytes >> 20);
}

std::string_view CsvRecordReader::front() {
  while (end_ - begin_ < kFrontBytes && fill()) {
  }
  return {buffer_.data() + begin_, end_ - begin_};
}

// The bytes of the record at begin_, up to the end of the file if it does not end before.
std::size_t CsvRecordReader::record_size() {
  for (;;) {
    const std::size_t size = end_ - begin_;
    const std::size_t found = first_record_end({buffer_.data() + begin_, size}, dialect_);
    if (found > 0 || at_end_) return found > 0 ? found : size;
    // Doubles the buffer, so that a long record is scanned again only a few times.
    while (end_ - begin_ < 2 * size && fill()) {
    }
  }
}

bool CsvRecordReader::next(std::vector<CsvField>& fields) {
  fields.clear();
  if (begin_ == end_ && !fill()) return false;
  const std::size_t size = record_size();
  std::memcpy(block_.memory(size).data(), buffer_.data() + begin_, size);
  block_.set_size(size);
  if (at_end_ && begin_ + size == end_) block_.end_source(size, byte_after_end());
  block_.split_first(dialect_, max_fields_);
  const std::uint64_t line = next_line_;
  switch (block_.stop()) {
    case RecordBlock::Stop::kTruncated:
      truncated_line_ = line;
      begin_ = end_;
      return false;
    case RecordBlock::Stop::kOpenQuote:
      refuse_open_quote(place_, line + block_.stop_line());
    case RecordBlock::Stop::kWidth:
      throw Failure(ExitCode::kLimit, place_,
                    fmt::format("limit exceeded: line {}: more than {} fields, which a table "
                                "cannot have as columns",
                                line, max_fields_));
    default:
      break;
  }
  fields.reserve(block_.width());
  for (std::size_t i = 0; i < block_.width(); ++i) {
    fields.push_back({block_.text(0, i), block_.is_quoted(0, i), line + block_.line(0, i)});
  }
  begin_ += size;
  next_line_ = line + block_.lines();
  return true;
}

}  // namespace numpact::cli
