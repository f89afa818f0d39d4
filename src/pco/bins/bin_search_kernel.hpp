// SPDX-License-Identifier: Apache-2.0
// The dynamic program of bin optimization.
#ifndef NUMPACT_PCO_BINS_BIN_SEARCH_KERNEL_HPP
#define NUMPACT_PCO_BINS_BIN_SEARCH_KERNEL_HPP

#include <array>

#include "number/latent.hpp"

namespace numpact {

inline constexpr std::size_t kAllStarts = 256;
inline constexpr std::size_t kNearStarts = 16;
inline constexpr std::size_t kRecentStarts = 3;
// What must be readable, and writable in `recent`, behind the end of every array.
inline constexpr std::size_t kMergeSlack = kNearStarts + kRecentStarts;

// Neighbouring bins of a histogram are to be merged as is cheapest.
template <Latent L>
struct MergeProblem {
  const L* lowers;
  const L* uppers;
  const float* cumulative;  // latents before each bin, and behind the last one
  std::size_t n;            // bins
  float log_total;          // log2 of all latents
  float meta_bits;          // of one bin
  float min_count;          // a bin's weight costs as if it had at least so many latents
  std::array<float*, kRecentStarts> recent;  // n floats each, for the search alone
};

// Sets best[j] to the least cost of the bins before j and starts[j] to where its last merged bin
// starts, for j in [0, n]. Returns best[n]. Which starts are tried: all, if there are at most
// kAllStarts bins; else the last kNearStarts + kRecentStarts, and of those further away the first
// that a bin of each offset width can have. (Between these nothing but the count changes, of which
// the cost is concave: the ends are cheapest, or nearly.)
template <Latent L>
float merge_bins(const MergeProblem<L>& problem, float* best, std::uint32_t* starts);

}  // namespace numpact

#endif
