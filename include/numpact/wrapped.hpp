// SPDX-License-Identifier: Apache-2.0
// The wrapped format, for engines that store header, chunk metadata and pages themselves, with the
// number type and the count of each page. Encoders and decoders of chunks are immutable and
// thread-safe with one context per thread.
#pragma once

#include <memory_resource>
#include <span>
#include <vector>

#include "numpact/inspect.hpp"
#include "numpact/trailer.hpp"

namespace numpact::wrapped {

struct FormatVersion {
  unsigned major = 4;
  unsigned minor = 1;
};

inline constexpr FormatVersion kCurrentVersion{4, 1};  // written by default

// The header (1 or 2 bytes) for chunks written with EncodeConfig::compatibility.
NUMPACT_API std::vector<std::byte> encode_file_header(
    Compatibility compatibility = Compatibility::kV4_1);

struct DecodedHeader {
  FormatVersion version;
  std::size_t size = 0;  // in bytes: 1 or 2
};

// Parses the header at the start of `bytes`.
NUMPACT_API Result<DecodedHeader> decode_file_header(std::span<const std::byte> bytes) noexcept;

// Maximum bytes of a chunk's metadata and pages together, for any config.
NUMPACT_API std::size_t chunk_bound(NumberType type, std::size_t count) noexcept;

// An encoded chunk: the bytes of its metadata and pages. Does not refer to the numbers.
class NUMPACT_API ChunkEncoder {
 public:
  // Chooses mode, delta and bins for 1 to 2^24 numbers, on the calling thread; config.paging splits
  // them into pages. The bytes are stored in `memory`, which also is the scratch memory without a
  // context. config.progress is called before and after the choice, and after each page.
  static Result<ChunkEncoder> create(
      const NumberView& numbers, const EncodeConfig& config = {},
      std::pmr::memory_resource* memory = std::pmr::get_default_resource(),
      EncodeContext* context = nullptr) noexcept;

  NumberType type() const noexcept;
  std::size_t page_count() const noexcept;
  // Numbers in a page, and a bound on its bytes; 0 if page >= page_count().
  std::size_t page_n(std::size_t page) const noexcept;
  std::size_t page_size_bound(std::size_t page) const noexcept;
  std::size_t meta_size_bound() const noexcept;
  // Mode, delta, bins, count and sizes (page_bytes: of all pages), before anything is written.
  Result<ChunkInfo> info() const noexcept;
  // Return the bytes written. kOutputTooSmall: `out` is smaller than the bound, and too small.
  Result<std::size_t> write_meta(std::span<std::byte> out) const noexcept;
  Result<std::size_t> write_page(std::size_t page, std::span<std::byte> out) const noexcept;
  Result<std::vector<std::byte>> meta() const noexcept;
  Result<std::vector<std::byte>> page(std::size_t page) const noexcept;
  // Range, NaNs and CRC-32 of a page. Its offset counts the bytes of metadata and pages before it.
  Result<ChunkSummary> page_summary(std::size_t page) const noexcept;

 private:
  struct Impl;
  explicit ChunkEncoder(detail::Owned<Impl> impl) noexcept;
  detail::Owned<Impl> impl_;
};

// A page to decode: all of its bytes, and the count of its numbers.
struct PageInput {
  std::span<const std::byte> bytes;
  std::size_t count = 0;
};

// The validated metadata and decoding tables of a chunk.
class NUMPACT_API ChunkDecoder {
 public:
  // Parses the metadata, of meta_size() bytes, at the start of `bytes`, which may be freed then.
  static Result<ChunkDecoder> create(
      std::span<const std::byte> bytes, NumberType type, FormatVersion version,
      const DecodeLimits& limits = {},
      std::pmr::memory_resource* memory = std::pmr::get_default_resource()) noexcept;

  NumberType type() const noexcept;
  std::size_t meta_size() const noexcept;
  Result<ChunkInfo> info() const noexcept;
  // Facts from the metadata about the numbers of every page.
  RangeMatch match(const ValueRange& range) const noexcept;

  // Decodes the page of `page_n` numbers at the start of `bytes` into the first elements of `out`;
  // returns its size in bytes. kOutputTooSmall, before anything is written: out.count < page_n.
  Result<std::size_t> decode_page(std::span<const std::byte> bytes, std::size_t page_n,
                                  const MutableNumberView& out,
                                  DecodeContext* context = nullptr) const noexcept;
  // The same for its first numbers, as many as fit. If these are not all, the end of the page is
  // not located; what is returned is the count of whole bytes that were read.
  Result<std::size_t> decode_page_front(std::span<const std::byte> bytes, std::size_t page_n,
                                        const MutableNumberView& out,
                                        DecodeContext* context = nullptr) const noexcept;
  // Decodes whole pages into `out`, one behind the other; it has room for all of them. This is
  // faster than a call for each where pages have up to some hundred numbers, and for pages with
  // Conv1, which processors with AVX2 decode up to eight at once. It takes more scratch memory, for
  // up to 16 pages. After an error `out` behind the good numbers may have any contents. It also
  // fails with kCorrupt if a page ends before its bytes. The offset of an error counts from the
  // start of its page; good_numbers() counts the numbers of the pages before it, 0 if an argument
  // is wrong.
  Status decode_pages(std::span<const PageInput> pages, const MutableNumberView& out,
                      DecodeContext* context = nullptr) const noexcept;

 private:
  friend class PageReader;
  friend class PageListAccess;
  struct Impl;
  explicit ChunkDecoder(detail::Owned<Impl> impl) noexcept;
  detail::Owned<Impl> impl_;
};

// Decodes a page in parts and keeps its state between calls, which allocate nothing once the reader
// is warm. One thread at a time.
class NUMPACT_API PageReader {
 public:
  // `chunk` and `memory` must outlive the reader.
  static Result<PageReader> create(
      const ChunkDecoder& chunk,
      std::pmr::memory_resource* memory = std::pmr::get_default_resource()) noexcept;

  // Begins the page of `page_n` numbers at the start of `bytes`, which must not change while it is
  // read; with the bytes of a restart point of this page, at that point. kCorrupt: the point does
  // not fit the page; one that was changed may also give wrong numbers.
  Status start(std::span<const std::byte> bytes, std::size_t page_n,
               std::span<const std::byte> point = {}) noexcept;

  // Decodes the next numbers, as many as fit, fastest in multiples of 256, and returns their count.
  // The end of the page is checked with its last number. Errors: as ChunkDecoder::decode_page; of
  // the bytes, all later calls return them again.
  Result<std::size_t> read(const MutableNumberView& out) noexcept;
  // Decodes and drops `count` numbers; kInvalidArgument: fewer are left.
  Status skip(std::size_t count) noexcept;
  std::size_t numbers_left() const noexcept;
  // Bytes read so far; once no numbers are left, the size of the page.
  std::size_t bytes_read() const noexcept;
  // Writes a restart point for the next number, of point_size() bytes: 0 for a chunk with Lookback,
  // which has none. kInvalidArgument: not after a multiple of 256 numbers, or at the end.
  std::size_t point_size() const noexcept;
  Result<std::size_t> write_point(std::span<std::byte> out) const noexcept;

 private:
  struct Impl;
  explicit PageReader(detail::Owned<Impl> impl) noexcept;
  detail::Owned<Impl> impl_;
};

}  // namespace numpact::wrapped
