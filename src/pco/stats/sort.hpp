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

}  // namespace numpact

#endif
