// SPDX-License-Identifier: Apache-2.0
// Estimated sizes of latents with and without lookbacks, from evenly spaced latents.
#pragma once

#include <cmath>

#include "base/tuned.hpp"
#include "pco/encode/choice.hpp"
#include "pco/encode/lookback/optimize/search.hpp"

namespace numpact::internal {

// Bits per latent of a variable that is delta encoded by the lookbacks.
float estimate_deltas(std::span<const std::uint32_t> lookbacks, const LatentArray& latents,
                      Arena& arena);

// Bits per latent of a variable that is not delta encoded.
float estimate_plain(const LatentArray& latents, Arena& arena);

// Bits per latent under a delta other than Lookback, from as many evenly spaced latents as the
// estimates with lookbacks use, so that chance affects the comparison less. Infinite if the delta
// has weights.
float estimate_without_lookback(const AnyDelta& delta, const LatentArray& latents, Arena& arena);

// The result of a search, and the bits per latent that it takes, from evenly spaced latents.
struct SearchEstimate {
  FoundLookbacks found;
  float lookback_bits = 0;
  float delta_bits = 0;

  float total_bits() const { return lookback_bits + delta_bits; }
};

// give_up_bits: as of find_lookbacks().
SearchEstimate search_and_estimate(const Lookback& lookback, const LatentArray& latents,
                                   float give_up_bits, const SearchLevel& level,
                                   LookbackSample sample, Arena& arena);

// Searches this many neighbouring numbers at a time to confirm that near lookbacks save bits.
NUMPACT_TUNED(std::size_t, kConfirmWindowN, 2048);
// A full search of a page below this length is short enough to start it without confirmation.
inline constexpr std::size_t kMinConfirmPageN = std::size_t{1} << 17;

// The bits of numbers of a few windows of a page with lookbacks.
struct WindowsEstimate {
  bool saves;
  float ratio;  // of their bits under the choice; infinite if either is unknown
};

// Searches a few windows of the page, which must have at least kMinConfirmPageN numbers. It
// saves if numbers then take less than `ratio` times what they take in these windows under the
// choice, or if that is unknown. secondary_bits: of a number, which Lookback is assumed not to
// change.
WindowsEstimate look_back_in_windows(const LatentArray& page, const Choice& choice, float ratio,
                                     float secondary_bits, const SearchLevel& level, Arena& arena);

}  // namespace numpact::internal
