// SPDX-License-Identifier: Apache-2.0
// Searches the lookbacks of a page that take the fewest bits together with the deltas under them.
#pragma once

#include <cmath>
#include <span>

#include "number/latent_array.hpp"
#include "numpact/config.hpp"
#include "pco/delta/lookback.hpp"
#include "pco/levels.hpp"

namespace numpact::internal {

// The effort of a search, by level.
struct LookbackEffort {
  std::size_t sample_n;      // latents on which costs are learned
  std::size_t rounds;        // of choosing and learning
  std::size_t max_frequent;  // frequent lookbacks that every latent considers
  std::size_t prefix_n;      // how many lengths of prefixes are tried, see find_candidates
  // The search gives up above this multiple of the limit: a small sample learns costs that are too
  // high.
  float give_up_ratio = 1;

  // For a page of n latents.
  static LookbackEffort of(const SearchLevel& level, std::size_t n);
};

// The smallest window that covers a page of n latents, and a state of one latent.
Lookback lookback_for(std::size_t n);

struct FoundLookbacks {
  // The lookbacks of the page's latents after the state, in the arena. Empty if the search gave up
  // or the page has no latents after the state.
  std::span<std::uint32_t> all;
  float bits = 0;  // per latent, by the part of the page from which costs were learned
  // The other LookbackSample would have found the same.
  bool samples_agree = false;
};

// The latents that estimate the bits of the deltas: all that costs are learned from, which are
// neighbours, or one in a few of them. These are fewer, but their deltas are not equal merely
// because they are neighbours.
enum class LookbackSample { kNeighbours, kApart };

// Gives up where the learned costs show that a latent would take more than give_up_bits, allowing
// for the error of small samples.
FoundLookbacks find_lookbacks(const Lookback& lookback, const LatentArray& latents, Arena& arena,
                              float give_up_bits = HUGE_VALF,
                              const SearchLevel& level = level_row(kDefaultLevel).search,
                              LookbackSample sample = LookbackSample::kNeighbours);

}  // namespace numpact::internal
