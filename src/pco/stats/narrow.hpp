// SPDX-License-Identifier: Apache-2.0
// Latents in fewer bits: what follows looks at half the memory or less, twice as many at a time.
#ifndef NUMPACT_PCO_STATS_NARROW_HPP
#define NUMPACT_PCO_STATS_NARROW_HPP

#include "base/arena.hpp"
#include "number/latent_array.hpp"

namespace numpact {

// Latents less `base`, in an array of the narrowest width that they fit in.
struct NarrowLatents {
  LatentArray latents;
  std::uint64_t base = 0;
};

// In place: the latents are used up.
NarrowLatents narrow(const LatentArray& latents);

// Of latents between `base` and base + 2^32 - 1.
std::span<const std::uint32_t> narrowed_copy(std::span<const std::uint64_t> latents,
                                             std::uint64_t base, Arena& arena);

}  // namespace numpact

#endif
