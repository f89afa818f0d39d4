// SPDX-License-Identifier: Apache-2.0
// The wrapped format, for engines that store header, chunk metadata and pages themselves.
//
// Writing: encode_file_header once; a ChunkEncoder per chunk gives the metadata and each page as
// bytes of their own. Reading: decode_file_header, then a ChunkDecoder from the metadata, then any
// page of that chunk in any order. The count of numbers in each page and the number type are the
// engine's to remember. Encoders and decoders are immutable once made: pages may be encoded and
// decoded from several threads at once, each with its own context.
#ifndef NUMPACT_WRAPPED_HPP
#define NUMPACT_WRAPPED_HPP

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

// The version this library writes unless told otherwise.
inline constexpr FormatVersion kCurrentVersion{4, 1};

// The one or two bytes of the header that belongs to chunks of EncodeConfig::compatibility.
NUMPACT_API std::vector<std::byte> encode_file_header(
    Compatibility compatibility = Compatibility::kV4_1);

// Reads a header; `consumed` becomes its size (1 or 2 bytes).
NUMPACT_API Status try_decode_file_header(std::span<const std::byte> bytes, FormatVersion& version,
                                          std::size_t& consumed) noexcept;

// One chunk, encoded: the bytes of its metadata and of its pages, and no more than these. The
// numbers may go away.
class NUMPACT_API ChunkEncoder {
 public:
  // Chooses mode, delta and bins for 1 to 2^24 numbers. config.paging cuts them into pages. Works
  // on the calling thread alone, whatever the config says. The bytes are kept in `memory`; scratch
  // memory is that of the context, or without one taken from `memory` and given back at the end.
  // config.progress is called before and after the choice, with no numbers, and after each page:
  // false ends with kCancelled.
  static Result<ChunkEncoder> create(
      const NumberView& numbers, const EncodeConfig& config = {},
      std::pmr::memory_resource* memory = std::pmr::get_default_resource(),
      EncodeContext* context = nullptr) noexcept;
  ~ChunkEncoder();
  ChunkEncoder(ChunkEncoder&&) noexcept;
  ChunkEncoder& operator=(ChunkEncoder&&) noexcept;

  std::size_t page_count() const noexcept;
  // Numbers in a page, and a bound on its bytes; 0 for pages from page_count() on.
  std::size_t page_n(std::size_t page) const noexcept;
  std::size_t page_size_bound(std::size_t page) const noexcept;
  std::size_t meta_size_bound() const noexcept;
  // kOutputTooSmall if `out` is under the bound and the bytes do not fit; kInvalidArgument for
  // pages from page_count() on.
  Status try_write_meta(std::span<std::byte> out, std::size_t& written) const noexcept;
  Status try_write_page(std::size_t page, std::span<std::byte> out,
                        std::size_t& written) const noexcept;
  std::vector<std::byte> meta() const;
  std::vector<std::byte> page(std::size_t page) const;

 private:
  struct Impl;
  explicit ChunkEncoder(std::unique_ptr<Impl> impl) noexcept;
  std::unique_ptr<Impl> impl_;
};

// A chunk's metadata, validated, and its decoding tables.
class NUMPACT_API ChunkDecoder {
 public:
  // Parses the metadata at the front of `bytes`; meta_size() says where it ends. `bytes` may go
  // away.
  static Result<ChunkDecoder> create(
      std::span<const std::byte> bytes, NumberType type, FormatVersion version,
      const DecodeLimits& limits = {},
      std::pmr::memory_resource* memory = std::pmr::get_default_resource()) noexcept;
  ~ChunkDecoder();
  ChunkDecoder(ChunkDecoder&&) noexcept;
  ChunkDecoder& operator=(ChunkDecoder&&) noexcept;

  NumberType type() const noexcept;
  std::size_t meta_size() const noexcept;
  ChunkInfo info() const;

  // Decodes a page of `page_n` numbers at the front of `bytes` into the first numbers of `out`.
  // `consumed` becomes the page's size in bytes. If out.count < page_n only that many are decoded,
  // the page's end is not looked for, and `consumed` is the whole bytes that were passed.
  Status try_decode_page(std::span<const std::byte> bytes, std::size_t page_n,
                         const MutableNumberView& out, std::size_t& consumed,
                         DecodeContext* context = nullptr) const noexcept;
  template <Number T>
  std::size_t decode_page(std::span<const std::byte> bytes, std::size_t page_n, std::span<T> out,
                          DecodeContext* context = nullptr) const {
    std::size_t consumed = 0;
    throw_if_error(try_decode_page(bytes, page_n, MutableNumberView(out), consumed, context));
    return consumed;
  }

 private:
  struct Impl;
  explicit ChunkDecoder(std::unique_ptr<Impl> impl) noexcept;
  std::unique_ptr<Impl> impl_;
};

}  // namespace numpact::wrapped

#endif
