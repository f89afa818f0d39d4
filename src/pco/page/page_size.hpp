// SPDX-License-Identifier: Apache-2.0
// What a page may take by its chunk's metadata.
#ifndef NUMPACT_PCO_PAGE_PAGE_SIZE_HPP
#define NUMPACT_PCO_PAGE_PAGE_SIZE_HPP

#include "pco/meta/chunk_meta.hpp"

namespace numpact {

struct PageSize {
  std::uint64_t least_bytes = 0;
  std::uint64_t most_bytes = 0;
};

// Of a page of n numbers, from its states on.
PageSize page_size(const ChunkMeta& meta, std::size_t n);

}  // namespace numpact

#endif
