// SPDX-License-Identifier: Apache-2.0
#include "csv/record_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "failure.hpp"
#include "io/give_back.hpp"

namespace numpact::cli {
namespace {

// The memory for more fields than this is given back after each record: 24 bytes for each.
constexpr std::size_t kManyFields = std::size_t{1} << 12;

}  // namespace

CsvRecordReader::CsvRecordReader(ByteSource& source, std::string place, std::size_t buffer_bytes)
    : source_(source),
      place_(std::move(place)),
      buffer_(std::clamp<std::size_t>(buffer_bytes, 1, kFrontBytes)) {
  set_dialect(CsvDialect());
}

// Not inline: the buffer is large, and libc++ destroys each byte of it in code that is not
// optimized.
CsvRecordReader::~CsvRecordReader() = default;

void CsvRecordReader::set_dialect(const CsvDialect& dialect) {
  delimiter_ = dialect.delimiter;
  has_quote_ = dialect.quote.has_value();
  quote_ = dialect.quote.value_or('\0');
  std::fill(std::begin(ends_field_), std::end(ends_field_), false);
  for (const char c : {delimiter_, '\n', '\r'}) ends_field_[static_cast<unsigned char>(c)] = true;
}

// Reads more bytes after the buffered ones. Returns false at the end of the file.
bool CsvRecordReader::fill() {
  if (at_end_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) {
    if (buffer_.size() >= kMaxRecordBytes) refuse_long_record(place_, line_);
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
  return rest;
}

void CsvRecordReader::refuse_open_quote(const std::string& place, std::uint64_t line) {
  throw Failure(ExitCode::kCorrupt, place,
                fmt::format("line {}: a quote is opened and never closed", line));
}

void CsvRecordReader::refuse_long_record(const std::string& place, std::uint64_t line) {
  throw Failure(ExitCode::kCorrupt, place,
                fmt::format("line {}: a record of over {} MiB; is a quote not closed?", line,
                            kMaxRecordBytes >> 20));
}

std::string_view CsvRecordReader::front() {
  while (end_ - begin_ < kFrontBytes && fill()) {
  }
  return {buffer_.data() + begin_, end_ - begin_};
}

bool CsvRecordReader::next(std::vector<CsvField>& fields) {
  fields.clear();
  if (begin_ == end_ && !fill()) return false;
  line_ = next_line_;
  if (scan() == Scan::kTruncated) {
    truncated_line_ = line_;
    begin_ = end_;
    return false;
  }
  fields.reserve(extents_.size());
  for (const Extent& extent : extents_) {
    const std::string_view text(buffer_.data() + begin_ + extent.from, extent.to - extent.from);
    fields.push_back(
        {extent.has_doubled_quotes ? unquote(extent) : text, extent.is_quoted, extent.line});
  }
  begin_ += record_size_;
  if (extents_.size() > kManyFields) give_back(extents_);
  return true;
}

CsvRecordReader::Scan CsvRecordReader::scan() {
  for (;;) {
    const Scan found = scan_record();
    if (found != Scan::kNeedsMore) return found;
    // Doubles the buffer, so that a long record is scanned again only a few times.
    const std::size_t needed = 2 * (end_ - begin_);
    while (end_ - begin_ < needed && fill()) {
    }
  }
}

// Whether a record at the end of the source continues beyond it. If a line end follows, the record
// is complete.
bool CsvRecordReader::is_truncated() const {
  // The end of the input ends a line.
  const char next = byte_after_end_ ? byte_after_end_().value_or('\n') : '\n';
  return next != '\n' && next != '\r';
}

// Finds the fields of the record at begin_. Changes no byte, since it starts again after more bytes
// were read.
CsvRecordReader::Scan CsvRecordReader::scan_record() {
  extents_.clear();
  const char* const bytes = buffer_.data() + begin_;
  const std::size_t size = end_ - begin_;
  std::size_t at = 0;
  std::uint64_t line = line_;
  for (;;) {
    const auto from = static_cast<std::uint32_t>(at);
    Extent field{from, from, line, false, false};
    if (has_quote_ && at < size && bytes[at] == quote_) {
      if (const Scan found = scan_quoted(at, field, line); found != Scan::kRecord) return found;
    } else {
      while (at < size && !ends_field_[static_cast<unsigned char>(bytes[at])]) ++at;
      field.to = static_cast<std::uint32_t>(at);
    }
    if (at == size && !at_end_) return Scan::kNeedsMore;
    if (extents_.size() == max_fields_) {
      throw Failure(ExitCode::kLimit, place_,
                    fmt::format("limit exceeded: line {}: more than {} fields, which a table "
                                "cannot have as columns",
                                line_, max_fields_));
    }
    extents_.push_back(field);
    if (at == size && is_truncated()) return Scan::kTruncated;
    if (at == size) break;
    if (bytes[at] == delimiter_) {
      ++at;
      continue;
    }
    if (take_line_end(at) == Scan::kNeedsMore) return Scan::kNeedsMore;
    ++line;
    break;
  }
  record_size_ = at;
  next_line_ = line;
  return Scan::kRecord;
}

// Skips a line end of one or two bytes.
CsvRecordReader::Scan CsvRecordReader::take_line_end(std::size_t& at) const {
  const char* const bytes = buffer_.data() + begin_;
  const std::size_t size = end_ - begin_;
  if (bytes[at] == '\r') {
    if (at + 1 == size && !at_end_) return Scan::kNeedsMore;
    if (at + 1 < size && bytes[at + 1] == '\n') ++at;
  }
  ++at;
  return Scan::kRecord;
}

// Scans from an opening quote to the end of the field.
CsvRecordReader::Scan CsvRecordReader::scan_quoted(std::size_t& at, Extent& field,
                                                   std::uint64_t& line) {
  const char* const bytes = buffer_.data() + begin_;
  const std::size_t size = end_ - begin_;
  field.is_quoted = true;
  ++at;
  for (;; ++at) {
    if (at == size) {
      if (!at_end_) return Scan::kNeedsMore;
      if (byte_after_end_ && byte_after_end_()) return Scan::kTruncated;
      refuse_open_quote(place_, field.line);
    }
    if (bytes[at] == quote_) {
      if (at + 1 == size && !at_end_) return Scan::kNeedsMore;
      if (at + 1 == size || bytes[at + 1] != quote_) break;
      field.has_doubled_quotes = true;
      ++at;
    } else if (bytes[at] == '\n' || (bytes[at] == '\r' && at + 1 < size && bytes[at + 1] != '\n')) {
      ++line;
    }
  }
  const std::size_t closing = at++;
  while (at < size && !ends_field_[static_cast<unsigned char>(bytes[at])]) ++at;
  if (at == closing + 1 && !field.has_doubled_quotes) {
    field.from += 1;
    field.to = static_cast<std::uint32_t>(closing);
    return Scan::kRecord;
  }
  field.has_doubled_quotes = true;
  field.to = static_cast<std::uint32_t>(at);
  return Scan::kRecord;
}

// Removes the quotes of a field in place.
std::string_view CsvRecordReader::unquote(const Extent& field) {
  char* const start = buffer_.data() + begin_ + field.from;
  const char* const end = buffer_.data() + begin_ + field.to;
  char* out = start;
  bool inside = true;
  for (const char* in = start + 1; in < end; ++in) {
    if (inside && *in == quote_) {
      if (in + 1 < end && in[1] == quote_) {
        ++in;
      } else {
        inside = false;
        continue;
      }
    }
    *out++ = *in;
  }
  return {start, static_cast<std::size_t>(out - start)};
}

}  // namespace numpact::cli
