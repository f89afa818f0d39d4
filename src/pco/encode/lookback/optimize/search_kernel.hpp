// SPDX-License-Identifier: Apache-2.0
// Choosing the cheapest of several lookbacks, for a stretch of latents at once.
#ifndef NUMPACT_PCO_ENCODE_LOOKBACK_OPTIMIZE_SEARCH_KERNEL_HPP
#define NUMPACT_PCO_ENCODE_LOOKBACK_OPTIMIZE_SEARCH_KERNEL_HPP

#include <algorithm>
#include <array>
#include <bit>

#include "number/latent.hpp"

namespace numpact {

// Costs are whole numbers of 1/64 bit, so that they add up alike everywhere.
inline constexpr unsigned kCostFraction = 6;

// Deltas by their width as signed numbers, zero by itself; of 64 bits two widths make a class.
inline constexpr std::size_t kDeltaClasses = 32;
using DeltaCosts = std::array<std::uint32_t, kDeltaClasses>;

// The width, 0 for zero, 1 for -1, 2 for 1 and -2, ...
template <Latent L>
unsigned signed_width(L delta) {
  return static_cast<unsigned>(std::bit_width(static_cast<L>(delta ^ static_cast<L>(delta << 1))));
}
template <Latent L>
constexpr unsigned class_of_width(unsigned width) {
  const unsigned index = sizeof(L) == 8 ? (width + 1) / 2 : width;
  return std::min(index, static_cast<unsigned>(kDeltaClasses - 1));
}

inline constexpr unsigned kFrequentLog = 6;
inline constexpr std::size_t kMaxFrequent = std::size_t{1} << kFrequentLog;

// Lookbacks that are considered everywhere, with what they cost in other places too.
struct FrequentLookbacks {
  std::array<std::uint32_t, kMaxFrequent> lookbacks{};
  std::array<std::uint32_t, kMaxFrequent> costs{};
  std::size_t n = 0;
  // What any other lookback costs at least.
  std::uint32_t least_of_others = 0;
};

// Where to look back to from latents[first] on, and what that costs.
template <Latent L>
struct LookbackTask {
  const L* latents;
  std::size_t first;
  std::size_t n;
  const FrequentLookbacks* frequent;
  const DeltaCosts* delta_costs;
  const std::uint16_t* lookback_costs;  // by lookback; readable for 2 bytes more
  // By latent of the page: other lookbacks to try, none of them beyond the page's start. Or null.
  const std::uint32_t* same;
  const std::uint32_t* strings;
  const std::uint32_t* near;
};

// For each of the n latents the lookback with the least cost of its own and its delta's. Of the
// frequent ones those are tried that reach no further than the page's start for all of the n, of
// which there must be one; of equal ones the first in the order frequent, strings, same is chosen.
template <Latent L>
void choose_cheapest(const LookbackTask<L>& task, std::uint32_t* lookbacks);

}  // namespace numpact

#endif
