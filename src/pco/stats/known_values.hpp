// SPDX-License-Identifier: Apache-2.0
// Telling latents that are some of many known values from the rest.
#ifndef NUMPACT_PCO_STATS_KNOWN_VALUES_HPP
#define NUMPACT_PCO_STATS_KNOWN_VALUES_HPP

#include <span>

#include "base/arena.hpp"
#include "number/latent.hpp"
#include "pco/stats/elsewhere.hpp"

namespace numpact {

// places[i] becomes the number of the value that latents[i] is, or kElsewhere; counts, those of the
// values. The rest is copied to `rest`, which has room for all; returns how many that are.
// values: ascending, different, at least one, fewer than kElsewhere. frequent: the number of the
// one that most latents are, if that is known, else how many there are.
template <Latent L>
std::size_t count_known(std::span<const L> latents, std::span<const L> values, std::size_t frequent,
                        std::span<std::uint32_t> counts, std::uint16_t* places, L* rest,
                        Arena& arena);

}  // namespace numpact

#endif
