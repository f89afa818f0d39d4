// SPDX-License-Identifier: Apache-2.0
// Coarse size of a latent variable from a few hundred latents, without sorting them: enough to
// exclude alternatives that are not worth a better estimate.
#pragma once

#include <array>
#include <span>

#include "number/latent.hpp"

namespace numpact::internal {

// The most latents that coarse_bits() accepts: it keeps its tables on the stack.
inline constexpr std::size_t kMaxCoarseN = 1024;

// Coarse bits per latent of at most kMaxCoarseN latents, each of which stands for `scale` latents
// of the chunk. Frequent values get bins of their own; for the others the cheapest of a few simple
// binnings counts. is_centred: latents near kMid are small, as differences are; otherwise those
// near the minimum are.
template <Latent L>
float coarse_bits(std::span<const L> latents, bool is_centred, float scale, float codes_bits = 0);

}  // namespace numpact::internal
