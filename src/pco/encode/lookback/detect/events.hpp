// SPDX-License-Identifier: Apache-2.0
// Detects periods in latents that mostly follow one usual step, such as the codes and dates of
// tables that list every combination. They take next to nothing already, and nothing at all if they
// look back by a period.
#pragma once

#include <span>

#include "base/arena.hpp"
#include "number/latent_array.hpp"
#include "pco/encode/lookback/match/periods.hpp"

namespace numpact::internal {

// Length of the window in the middle of a page in which event periods are sought.
std::size_t event_window_n(std::size_t page_n);

// Distances at which the same steps recur, the most frequent ones first. None if steps other than
// the usual one are not rare.
Periods find_event_periods(const LatentArray& window, Arena& arena);

// Counts of evenly spaced latents, and of those that equal the one `distance` before.
struct Matches {
  std::size_t compared = 0;
  std::size_t equal = 0;
};
Matches count_matches(const LatentArray& latents, std::size_t distance);

}  // namespace numpact::internal
