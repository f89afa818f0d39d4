// SPDX-License-Identifier: Apache-2.0
// Periods of latents that mostly go on as before, such as the codes and dates of tables that list
// every combination: they take next to nothing already, but nothing at all by looking back a
// period.
#ifndef NUMPACT_PCO_ENCODE_LOOKBACK_DETECT_EVENTS_HPP
#define NUMPACT_PCO_ENCODE_LOOKBACK_DETECT_EVENTS_HPP

#include <span>

#include "base/arena.hpp"
#include "number/latent_array.hpp"
#include "pco/encode/lookback/match/periods.hpp"

namespace numpact {

// So many latents, in the middle of a page, tell its periods.
std::size_t event_stretch_n(std::size_t page_n);

// Distances at which the same steps come again, the most frequent ones first. None if steps other
// than the usual one are not rare.
Periods find_event_periods(const LatentArray& stretch, Arena& arena);

// How many of some evenly spaced latents are the same as those `distance` before.
struct Matches {
  std::size_t looked = 0;
  std::size_t same = 0;
};
Matches count_matches(const LatentArray& latents, std::size_t distance);

}  // namespace numpact

#endif
