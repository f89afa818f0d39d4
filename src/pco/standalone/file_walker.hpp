// SPDX-License-Identifier: Apache-2.0
// Iterates over the chunks of a standalone file that is in memory as a whole.
#pragma once

#include "pco/page/page_decoder.hpp"
#include "pco/standalone/frame.hpp"

namespace numpact::internal::standalone {

class FileWalker {
 public:
  // `file` and `arena` must outlive the walker. The scratch of a chunk is released when the next
  // one is entered.
  FileWalker(std::span<const std::byte> file, Arena& arena) : file_(file), arena_(arena) {}

  Status read_header();
  const Header& header() const { return header_; }

  // Continues at `offset`, where chunk `chunk_index` or the terminator starts. `header` is the
  // file's header, and `type` its number type if known.
  void resume(const Header& header, std::optional<NumberType> type, std::size_t offset,
              std::size_t chunk_index);

  // Enters the next chunk: parses its head and metadata and its page's states. `is_end` once the
  // terminator is reached.
  Status enter_chunk(bool& is_end);

  // The chunk that was entered last:
  const ChunkHead& head() const { return head_; }
  const ChunkMeta& meta() const { return meta_; }
  std::size_t chunk_index() const { return next_chunk_ - 1; }
  std::size_t chunk_offset() const { return chunk_offset_; }
  std::size_t page_offset() const { return page_offset_; }
  std::size_t numbers_left() const { return page_->numbers_left(); }

  // Decodes the next n (at most numbers_left()) numbers of the chunk.
  Status decode(std::size_t n, void* out);
  // Seeks inside the page to the position behind its first `before` numbers, a multiple of kBatchN.
  // page_bits: that position in bits from the page's first byte; state: what page().write_state()
  // wrote there.
  Status go_to(std::size_t before, std::uint64_t page_bits, std::span<const std::byte> state);
  // The current position in bits from the page's first byte.
  std::uint64_t page_bits() const { return window_.position - 8 * std::uint64_t{page_offset_}; }
  const PageDecoder& page() const { return *page_; }

  // Walks the whole page without computing numbers and adds up the sizes of its parts.
  Status skip(std::array<PageVariableSizes, kVariables>& sizes);
  // Checks the end of the page. To be called when no numbers are left.
  Status leave_chunk();

  // Chunks entered so far.
  std::size_t next_chunk() const { return next_chunk_; }
  // The current position in bytes from the start of the file.
  std::size_t offset() const { return static_cast<std::size_t>(window_.position / 8); }

 private:
  Status in_chunk(const Status& status) const { return status.at_chunk(chunk_index()); }

  std::span<const std::byte> file_;
  Arena& arena_;
  Arena::Mark chunk_mark_;
  Header header_;
  std::optional<NumberType> type_;
  ChunkHead head_;
  ChunkMeta meta_;
  PageDecoder* page_ = nullptr;
  BitWindow window_;
  std::size_t next_chunk_ = 0;
  std::size_t chunk_offset_ = 0;
  std::size_t page_offset_ = 0;
};

}  // namespace numpact::internal::standalone
