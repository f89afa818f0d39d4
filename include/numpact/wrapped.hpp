// SPDX-License-Identifier: Apache-2.0
// The wrapped format, for engines that store header, chunk metadata and pages themselves.
//
// Writing: call encode_file_header once; a ChunkEncoder per chunk has the bytes of the metadata and
// of each page. Reading: call decode_file_header, make a ChunkDecoder from the metadata, and decode
// pages in any order. The engine stores the number type and the count of each page. Encoders and
// decoders are immutable and thread-safe with one context per thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <vector>

#include "numpact/config.hpp"
#include "numpact/error.hpp"
#include "numpact/inspect.hpp"
#include "numpact/types.hpp"

namespace numpact::wrapped {

struct FormatVersion {
  unsigned major = 4;
  unsigned minor = 1;
};

// The version written by default.
inline constexpr FormatVersion kCurrentVersion{4, 1};

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

 private:
  struct Impl;
  explicit ChunkEncoder(detail::Owned<Impl> impl) noexcept;
  detail::Owned<Impl> impl_;
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

  // Decodes the page of `page_n` numbers at the start of `bytes` into the first elements of `out`;
  // returns its size in bytes. If out.count < page_n, decodes only out.count numbers; the end of
  // the page is not located, and the whole bytes passed are returned.
  Result<std::size_t> decode_page(std::span<const std::byte> bytes, std::size_t page_n,
                                  const MutableNumberView& out,
                                  DecodeContext* context = nullptr) const noexcept;

 private:
  struct Impl;
  explicit ChunkDecoder(detail::Owned<Impl> impl) noexcept;
  detail::Owned<Impl> impl_;
};

}  // namespace numpact::wrapped
