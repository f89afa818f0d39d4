// SPDX-License-Identifier: Apache-2.0
// Stores latents in the narrowest type that holds their range: later stages then read less memory
// and process more latents per vector.
#pragma once

#include "base/arena.hpp"
#include "number/latent_array.hpp"

namespace numpact::internal {

// The differences latent - base, in the narrowest type that holds them all.
struct NarrowLatents {
  LatentArray latents;
  std::uint64_t base = 0;
};

// In place: the input array is overwritten by the result.
NarrowLatents narrow(const LatentArray& latents);

// A copy of latents - base. All latents lie in [base, base + 2^32 - 1].
std::span<const std::uint32_t> narrowed_copy(std::span<const std::uint64_t> latents,
                                             std::uint64_t base, Arena& arena);

}  // namespace numpact::internal
