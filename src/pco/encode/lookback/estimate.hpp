// SPDX-License-Identifier: Apache-2.0
// What latents take if they look back, and if they do not, by evenly spaced ones of them.
#ifndef NUMPACT_PCO_ENCODE_LOOKBACK_ESTIMATE_HPP
#define NUMPACT_PCO_ENCODE_LOOKBACK_ESTIMATE_HPP

#include <cmath>

#include "pco/encode/choice.hpp"
#include "pco/encode/lookback/optimize/search.hpp"

namespace numpact {

// Bits for each latent of a variable that is encoded by the lookbacks.
float weigh_deltas(std::span<const std::uint32_t> lookbacks, const LatentArray& latents,
                   Arena& arena);

// And of one that is not.
float weigh_plain(const LatentArray& latents, Arena& arena);

// Bits for each latent under a delta, from places as those looking back is weighed by, so that luck
// with them decides less. Infinite if that cannot be told.
float weigh_as_is(const AnyDelta& delta, const LatentArray& latents, Arena& arena);

// Lookbacks that were found, and what each latent takes by evenly spaced ones.
struct Looked {
  FoundLookbacks found;
  float lookback_bits = 0;
  float delta_bits = 0;

  float all_bits() const { return lookback_bits + delta_bits; }
};

Looked look(const Lookback& lookback, const LatentArray& latents, float most, unsigned level,
            LookbackSample sample, Arena& arena);

// Whether some stretches of kStretchN numbers, of a page of so many numbers at least, take less
// if they look back. share: how much of what they take under the choice they may take. True if that
// cannot be told.
inline constexpr std::size_t kStretchN = 2048;
inline constexpr std::size_t kLeastForStretches = std::size_t{1} << 17;
// Of a part of a run, which mostly looks back no more than the others.
inline constexpr std::size_t kLeastForStretchesOfPart = std::size_t{1} << 15;
bool stretches_look_back(const LatentArray& page, const Choice& choice, float share,
                         float secondary_bits, unsigned level, Arena& arena);

}  // namespace numpact

#endif
