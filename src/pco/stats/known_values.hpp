// SPDX-License-Identifier: Apache-2.0
// Separates latents that are among many known values from the rest.
#pragma once

#include <span>

#include "base/arena.hpp"
#include "number/latent.hpp"
#include "pco/stats/unmatched.hpp"

namespace numpact::internal {

// Sets indices[i] to the index of latents[i] in `values`, or to kUnmatched, and counts[k] to the
// count of latents that equal values[k]. Unmatched latents are copied to `rest`, which has capacity
// for all latents. Returns their count. values: ascending, distinct, at least 1, fewer than
// kUnmatched. frequent: the index of the value that most latents equal if known, else
// values.size(). It changes the speed only.
template <Latent L>
std::size_t count_known(std::span<const L> latents, std::span<const L> values, std::size_t frequent,
                        std::span<std::uint32_t> counts, std::uint16_t* indices, L* rest,
                        Arena& arena);

}  // namespace numpact::internal
