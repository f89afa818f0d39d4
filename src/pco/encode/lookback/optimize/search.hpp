// SPDX-License-Identifier: Apache-2.0
// Where to look back to.
#ifndef NUMPACT_PCO_ENCODE_LOOKBACK_OPTIMIZE_SEARCH_HPP
#define NUMPACT_PCO_ENCODE_LOOKBACK_OPTIMIZE_SEARCH_HPP

#include <cmath>
#include <span>

#include "number/latent_array.hpp"
#include "numpact/config.hpp"
#include "pco/delta/lookback.hpp"

namespace numpact {

// How hard to search, by level.
struct LookbackEffort {
  std::size_t sample_n;       // latents on which costs are learned
  std::size_t rounds;         // of choosing and learning
  std::size_t max_frequent;   // lookbacks that are tried everywhere
  std::size_t more_frequent;  // at last, if they save enough
  std::size_t alike_n;        // lengths of upper bits of what is alike, see find_candidates
  float slack = 1;  // times what is wanted: what costs learned on a small sample may be over

  // For a page of n latents, each of which must take less than `bits`.
  static LookbackEffort of_level(unsigned level, std::size_t n, float bits = HUGE_VALF);
};

// The window and state that suit a page of n latents.
Lookback lookback_for(std::size_t n);

struct FoundLookbacks {
  // For each of the page's latents from the state's end on: how far back to subtract from. None
  // where it becomes plain that a number would take more than give_up_bits, more or less.
  std::span<std::uint32_t> all;
  float bits = 0;  // a number, by the part of the page that was learned from
  // The other LookbackSample would have led to the same.
  bool samples_agree = false;
};

// What is taken for the page of the part that is learned from: neighbours, or some that lie apart,
// which are fewer, but whose deltas are not the same just because they are neighbours.
enum class LookbackSample { kNeighbours, kApart };

FoundLookbacks find_lookbacks(const Lookback& lookback, const LatentArray& latents, Arena& arena,
                              float give_up_bits = HUGE_VALF, unsigned level = kDefaultLevel,
                              LookbackSample sample = LookbackSample::kNeighbours);

}  // namespace numpact

#endif
