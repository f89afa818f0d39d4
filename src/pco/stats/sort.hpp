// SPDX-License-Identifier: Apache-2.0
// Sorting latents by their digits.
#ifndef NUMPACT_PCO_STATS_SORT_HPP
#define NUMPACT_PCO_STATS_SORT_HPP

#include <span>

#include "base/arena.hpp"
#include "number/latent.hpp"

namespace numpact {

// The sorted latents, in `arena`; [lower, upper] must hold them all. Linear in their number and in
// the bits of upper - lower.
template <Latent L>
std::span<const L> sorted_copy(std::span<const L> latents, L lower, L upper, Arena& arena);

// Sorts in place on targets where that is fast for few latents; false, and nothing done, on others.
// Behind latents and spare (n each) kSortSlack bytes may be read and written.
template <Latent L>
bool sort_if_fast(L* latents, std::size_t n, L* spare);

inline constexpr std::size_t kSortSlack = 4 * 64;

}  // namespace numpact

#endif
