// SPDX-License-Identifier: Apache-2.0
// Trying the same few lookbacks at every latent of a stretch.
#ifndef NUMPACT_PCO_CHOOSE_LOOKBACK_KERNEL_HPP
#define NUMPACT_PCO_CHOOSE_LOOKBACK_KERNEL_HPP

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

// A cost and which of the lookbacks has it, ordered by both.
inline constexpr unsigned kIndexBits = 6;
inline constexpr std::size_t kMaxFrequent = std::size_t{1} << kIndexBits;

struct FrequentLookbacks {
  std::array<std::uint32_t, kMaxFrequent> lookbacks{};
  std::array<std::uint32_t, kMaxFrequent> costs{};
  std::size_t n = 0;
};

// For n latents from latents[first] on: best[j] = the least of
// (lookback cost + delta cost) << kIndexBits | index over the lookbacks that reach no further than
// the array's start for all of them. One at least does.
template <Latent L>
void find_cheapest(const L* latents, std::size_t first, std::size_t n,
                   const FrequentLookbacks& frequent, const DeltaCosts& delta_costs,
                   std::uint32_t* best);

}  // namespace numpact

#endif
