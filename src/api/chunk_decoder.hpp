// SPDX-License-Identifier: Apache-2.0
// The contents of a ChunkDecoder, which page readers use too, and lists of its pages.
#pragma once

#include "base/arena.hpp"
#include "base/internal.hpp"
#include "numpact/wrapped.hpp"
#include "pco/page/page_decoder.hpp"

namespace numpact::wrapped {

struct ChunkDecoder::Impl {
  explicit Impl(std::pmr::memory_resource* own) : memory(own), arena(own) {}
  std::pmr::memory_resource* memory;  // of the object and all that it holds
  Arena arena;
  ChunkMeta meta;
  const ChunkTables* tables = nullptr;
  std::size_t meta_size = 0;
  DecodeLimits limits;
};

// Pages to decode, as any type describes them.
struct PageList {
  const void* pages;
  std::size_t count;
  PageInput (*at)(const void* pages, std::size_t page);

  PageInput page(std::size_t index) const { return at(pages, index); }
};

class PageListAccess {
 public:
  // As ChunkDecoder::decode_pages().
  static Status decode(const ChunkDecoder& chunk, const PageList& pages,
                       const MutableNumberView& out, DecodeContext* context) noexcept;
};

// Checks before n numbers of a page are decoded, those of earlier calls included.
Status check_page_output(const MutableNumberView& out, NumberType type);
Status check_page_n(std::size_t page_n);
Status check_page_limits(const DecodeLimits& limits, NumberType type, std::size_t n);

}  // namespace numpact::wrapped
