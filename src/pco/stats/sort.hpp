// SPDX-License-Identifier: Apache-2.0
// Sorting of latents: vectorized quicksort, radix sort, or std::sort for few.
#pragma once

#include <span>

#include "base/arena.hpp"
#include "number/latent.hpp"

namespace numpact::internal {

// A sorted copy in `arena`. All latents must lie in [lower, upper]. The radix sort takes time
// linear in the count of latents and in the bits of upper - lower.
template <Latent L>
std::span<const L> sorted_copy(std::span<const L> latents, L lower, L upper, Arena& arena);

// Sorts in place on targets with a fast vector quicksort. On other targets it does nothing and
// returns false. `latents` and `spare` have n elements each; kSortSlackBytes bytes behind both may
// be read and written.
template <Latent L>
bool sort_if_fast(L* latents, std::size_t n, L* spare);

// Four vectors: the most that sorting a short range loads at once.
inline constexpr std::size_t kSortSlackBytes = 4 * 64;

}  // namespace numpact::internal
