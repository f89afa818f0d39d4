// SPDX-License-Identifier: Apache-2.0
// Rough costs of a latent variable, without a sort: enough to tell what is not worth weighing.
#ifndef NUMPACT_PCO_ENCODE_ESTIMATE_COARSE_HPP
#define NUMPACT_PCO_ENCODE_ESTIMATE_COARSE_HPP

#include <array>
#include <span>

#include "number/latent.hpp"

namespace numpact {

// Most that rough_bits looks at.
inline constexpr std::size_t kMostRoughN = 1024;

// Rough bits of each of at most kMostRoughN latents, each of which stands for `scale`: the lesser
// of two simple binnings, frequent values apart. Small distances from MID count as small if they
// are centred, else from the least.
template <Latent L>
float rough_bits(std::span<const L> latents, bool is_centred, float scale);

}  // namespace numpact

#endif
