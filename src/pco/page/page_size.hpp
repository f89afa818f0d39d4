// SPDX-License-Identifier: Apache-2.0
// Bounds of the size of a page, from the metadata of its chunk.
#pragma once

#include "pco/meta/chunk_meta.hpp"

namespace numpact::internal {

struct PageSize {
  std::uint64_t min_bytes = 0;
  std::uint64_t max_bytes = 0;
};

// The bounds for a page of n numbers, states included.
PageSize page_size(const ChunkMeta& meta, std::size_t n);

}  // namespace numpact::internal
