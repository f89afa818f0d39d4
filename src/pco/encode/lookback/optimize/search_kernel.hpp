// SPDX-License-Identifier: Apache-2.0
// Chooses the cheapest of several lookbacks for each latent of a block.
#pragma once

#include <algorithm>
#include <array>
#include <bit>

#include "number/latent.hpp"

namespace numpact::internal {

// Costs are integers in units of 1/64 bit, so that sums are the same on every processor.
inline constexpr unsigned kCostFraction = 6;

// Classes of deltas by their signed width. Zero has a class of its own. For 64-bit latents two
// widths share a class, so that a table of costs fits into a few vector registers.
inline constexpr std::size_t kDeltaClasses = 32;
using DeltaCosts = std::array<std::uint32_t, kDeltaClasses>;

// The signed width: 0 for 0, 1 for -1, 2 for 1 and -2, 3 for 2, 3, -3 and -4, ...
template <Latent L>
unsigned signed_width(L delta) {
  return static_cast<unsigned>(std::bit_width(static_cast<L>(delta ^ static_cast<L>(delta << 1))));
}
template <Latent L>
constexpr unsigned class_of_width(unsigned width) {
  const unsigned index = sizeof(L) == 8 ? (width + 1) / 2 : width;
  return std::min(index, static_cast<unsigned>(kDeltaClasses - 1));
}

// At most 2^this lookbacks are frequent: every latent considers each, so more take longer. Kernels
// store an index of this many bits below the cost.
inline constexpr unsigned kFrequentLog = 6;
inline constexpr std::size_t kMaxFrequent = std::size_t{1} << kFrequentLog;

// Lookbacks that every latent considers. Their costs are also among those by lookback.
struct FrequentLookbacks {
  std::array<std::uint32_t, kMaxFrequent> lookbacks{};
  std::array<std::uint32_t, kMaxFrequent> costs{};
  std::size_t n = 0;
  // Lower bound of the cost of any other lookback.
  std::uint32_t min_other_cost = 0;
};

// A block of n latents from latents[first] on, and the costs to choose by.
template <Latent L>
struct LookbackTask {
  const L* latents;
  std::size_t first;
  std::size_t n;
  const FrequentLookbacks* frequent;
  const DeltaCosts* delta_costs;
  const std::uint16_t* lookback_costs;  // by lookback; readable for 2 bytes past the end
  // Other lookbacks to consider, by latent of the page; none reaches before the page's start. Or
  // null.
  const std::uint32_t* equal;
  const std::uint32_t* strings;
  const std::uint32_t* near;
};

// Sets lookbacks[j], j < n, to the one with the lowest cost of lookback and delta together.
// Considers the frequent lookbacks that do not exceed task.first, so that they are valid for all of
// the block; there must be at least one. Among equal costs the first one wins, in the order
// frequent (by index), strings, equal, near.
template <Latent L>
void choose_cheapest(const LookbackTask<L>& task, std::uint32_t* lookbacks);

}  // namespace numpact::internal
