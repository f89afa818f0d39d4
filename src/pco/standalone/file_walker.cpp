// SPDX-License-Identifier: Apache-2.0
#include "pco/standalone/file_walker.hpp"

#include "base/check_bytes.hpp"
#include "base/try.hpp"

namespace numpact::internal::standalone {

Status FileWalker::read_header() {
  NUMPACT_TRY(check_bytes(file_));
  BitReader reader(file_);
  NUMPACT_TRY(parse_header(reader, header_));
  type_ = header_.uniform_type;
  window_ = BitWindow{file_, reader.bit_position(), true};
  chunk_mark_ = arena_.mark();
  return {};
}

void FileWalker::resume(const Header& header, std::optional<NumberType> type, std::size_t offset,
                        std::size_t chunk_index) {
  if (page_ == nullptr) chunk_mark_ = arena_.mark();
  header_ = header;
  type_ = type;
  window_ = BitWindow{file_, 8 * std::uint64_t{offset}, true};
  next_chunk_ = chunk_index;
}

Status FileWalker::enter_chunk(bool& is_end) {
  arena_.rewind(chunk_mark_);
  chunk_offset_ = offset();
  const std::size_t index = next_chunk_++;
  BitReader reader(file_, window_.position);
  const Status head = parse_chunk_head(reader, type_, head_);
  if (!head.ok()) return head.at_chunk(index);
  is_end = head_.is_end;
  window_.position = reader.bit_position();
  if (is_end) return {};
  type_ = head_.type;
  const Status parsed = parse_chunk_meta(reader, head_.type, header_.format, arena_, meta_);
  if (!parsed.ok()) return in_chunk(parsed);
  window_.position = reader.bit_position();
  page_offset_ = offset();
  page_ = ChunkTables::make(meta_, arena_)->make_page_decoder(arena_);
  bool more = false;
  return in_chunk(page_->start(window_, head_.n, more));
}

Status FileWalker::decode(std::size_t n, void* out) {
  std::size_t done = 0;
  bool more = false;
  return in_chunk(page_->decode(window_, n, out, done, more));
}

Status FileWalker::go_to(std::size_t before, std::uint64_t page_bits,
                         std::span<const std::byte> state) {
  const std::uint64_t position = 8 * std::uint64_t{page_offset_} + page_bits;
  if (state.size() != page_->state_bytes() || position > 8 * std::uint64_t{file_.size()} ||
      !page_->has_state()) {
    return in_chunk(
        Status(ErrorKind::kCorrupt, "a restart point does not fit its page", page_offset_));
  }
  BitWindow head{state, 0, true};
  bool more = false;
  NUMPACT_TRY(in_chunk(page_->start(head, head_.n - before, more).shifted(page_offset_)));
  window_.position = position;
  return {};
}

Status FileWalker::skip(std::array<PageVariableSizes, kVariables>& sizes) {
  while (page_->numbers_left() > 0) {
    std::size_t done = 0;
    const Status status = page_->skip(window_, sizes, done);
    if (!status.ok()) return in_chunk(status);
  }
  return {};
}

Status FileWalker::leave_chunk() { return in_chunk(PageDecoder::finish(window_)); }

}  // namespace numpact::internal::standalone
