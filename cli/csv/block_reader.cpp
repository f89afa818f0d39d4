// SPDX-License-Identifier: Apache-2.0
#include "csv/block_reader.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

namespace numpact::cli {
namespace {

// The end of the last line in bytes outside of quotes; 0 if there is none. `is_end`: nothing is
// known of the bytes behind them, among which may be the second one of a line end.
std::size_t last_line_end(std::string_view bytes, bool is_end) {
  const std::size_t feed = bytes.rfind('\n');
  const std::size_t after_feed = feed == std::string_view::npos ? 0 : feed + 1;
  std::string_view rest = bytes.substr(after_feed);
  if (is_end && !rest.empty()) rest.remove_suffix(1);
  const std::size_t carriage_return = rest.rfind('\r');
  return carriage_return == std::string_view::npos ? after_feed : after_feed + carriage_return + 1;
}

}  // namespace

std::size_t last_record_end(std::string_view bytes, const CsvDialect& dialect) {
  if (!dialect.quote) return last_line_end(bytes, true);
  struct Part {
    std::size_t from;
    std::size_t to;
  };
  std::vector<Part> outside;  // of quotes
  std::size_t from = 0;
  for (std::size_t at = 0;;) {
    const std::size_t quote = bytes.find(*dialect.quote, at);
    if (quote == std::string_view::npos) {
      outside.push_back({from, bytes.size()});
      break;
    }
    const char before = quote == 0 ? '\n' : bytes[quote - 1];
    const bool begins_field = before == dialect.delimiter || before == '\n' || before == '\r';
    at = quote + 1;
    // A quote right after a closing one is text of that field.
    if (!begins_field) continue;
    outside.push_back({from, quote});
    std::size_t closing = bytes.find(*dialect.quote, at);
    while (closing != std::string_view::npos && closing + 1 < bytes.size() &&
           bytes[closing + 1] == *dialect.quote) {
      closing = bytes.find(*dialect.quote, closing + 2);
    }
    // A quote at the end may be the first of a doubled one.
    if (closing == std::string_view::npos || closing + 1 == bytes.size()) break;
    from = at = closing + 1;
  }
  for (std::size_t i = outside.size(); i-- > 0;) {
    const Part& part = outside[i];
    const std::size_t end =
        last_line_end(bytes.substr(part.from, part.to - part.from), part.to == bytes.size());
    if (end > 0) return part.from + end;
  }
  return 0;
}

CsvBlockReader::CsvBlockReader(CsvRecordReader& reader, const CsvDialect& dialect,
                               std::size_t block_bytes)
    : reader_(reader), dialect_(dialect), block_bytes_(block_bytes) {
  const std::string_view rest = reader.take_rest();
  pending_.assign(rest.begin(), rest.end());
}

// Moves pending bytes to a block. Returns their count.
std::size_t CsvBlockReader::take_pending(std::span<char> memory) {
  const std::size_t count = std::min(memory.size(), pending_.size() - pending_begin_);
  if (count > 0) std::memcpy(memory.data(), pending_.data() + pending_begin_, count);
  pending_begin_ += count;
  return count;
}

bool CsvBlockReader::next(RecordBlock& block) {
  if (at_end_) return false;
  std::size_t capacity = block_bytes_;
  std::size_t size = 0;
  for (;;) {
    const std::span<char> memory = block.memory(capacity).first(capacity);
    size += take_pending(memory.subspan(size));
    while (size < capacity && !at_end_) {
      const std::size_t got = reader_.read_source(memory.subspan(size));
      size += got;
      at_end_ = got == 0;
    }
    if (at_end_) {
      block.end_source(size, reader_.byte_after_end());
      return size > 0;
    }
    const std::size_t end = last_record_end({memory.data(), size}, dialect_);
    if (end > 0) {
      // What follows the last record goes back.
      const std::size_t left = size - end;
      if (pending_begin_ < left) {
        pending_.assign(memory.begin() + static_cast<std::ptrdiff_t>(end),
                        memory.begin() + static_cast<std::ptrdiff_t>(size));
        pending_begin_ = 0;
      } else {
        pending_begin_ -= left;
        std::memcpy(pending_.data() + pending_begin_, memory.data() + end, left);
      }
      block.set_size(end);
      return true;
    }
    if (capacity >= kMaxRecordBytes) {
      at_end_ = true;
      block.be_too_long();
      return true;
    }
    capacity = std::min(2 * capacity, kMaxRecordBytes);
  }
}

}  // namespace numpact::cli
