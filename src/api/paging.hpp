// SPDX-License-Identifier: Apache-2.0
// Divides a count of numbers into pages or chunks.
#pragma once

#include <span>

#include "base/arena.hpp"
#include "base/internal.hpp"
#include "numpact/config.hpp"

namespace numpact {

// The sizes that a spec defines for n numbers, in `arena`; empty for 0 numbers. kInvalidArgument: a
// page size of 0 or over max_n, or exact sizes that do not add up to n.
Status page_sizes(const PagingSpec& spec, std::size_t n, std::size_t max_n, Arena& arena,
                  std::span<const std::size_t>& sizes);

// The sizes of the units by which a standalone file of n numbers is encoded: chunks, or under
// automatic paging runs that are segmented further.
Status chunk_sizes(const EncodeConfig& config, std::size_t n, Arena& arena,
                   std::span<const std::size_t>& sizes);

// The size of a share of n numbers under automatic paging, at most `max_n`; `max_n` past the last
// share.
std::size_t automatic_share(std::uint64_t n, std::size_t max_n, std::size_t index);

// The same checks when the count is unknown.
Status check_chunk_sizes(const PagingSpec& spec);

// Upper bound of the count of chunk_sizes(), for any config.
std::size_t chunk_count_bound(const EncodeConfig& config, std::size_t n);

}  // namespace numpact
