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

// The sizes of what a standalone file of n numbers is encoded by: its chunks, or under automatic
// paging what is cut further.
Status chunk_sizes(const EncodeConfig& config, std::size_t n, Arena& arena,
                   std::span<const std::size_t>& sizes);

// The size of one of the shares, of at most `most`, that automatic paging deals n numbers into;
// beyond the last, `most`.
std::size_t automatic_share(std::uint64_t n, std::size_t most, std::size_t index);

// The same checks where the count is not known yet.
Status check_chunk_sizes(const PagingSpec& spec);

// How many that is at most, for any config.
std::size_t chunk_count_bound(const EncodeConfig& config, std::size_t n);

}  // namespace numpact

#endif
