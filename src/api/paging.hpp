// SPDX-License-Identifier: Apache-2.0
// Cutting a count of numbers into pages.
#ifndef NUMPACT_API_PAGING_HPP
#define NUMPACT_API_PAGING_HPP

#include <span>

#include "base/arena.hpp"
#include "numpact/config.hpp"

namespace numpact {

// The sizes that a spec gives for n numbers, in `arena`; none for 0 numbers. kInvalidArgument for a
// page size of 0 or over max_n, or exact sizes that do not add up to n.
Status page_sizes(const PagingSpec& spec, std::size_t n, std::size_t max_n, Arena& arena,
                  std::span<const std::size_t>& sizes);

// The same checks where the count is not known yet.
Status check_chunk_sizes(const PagingSpec& spec);

// How many pages that is at most, for any spec.
std::size_t page_count_bound(const PagingSpec& spec, std::size_t n);

}  // namespace numpact

#endif
