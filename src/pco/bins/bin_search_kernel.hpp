// SPDX-License-Identifier: Apache-2.0
// The dynamic program that merges adjacent bins of a histogram.
#pragma once

#include <array>

#include "number/latent.hpp"

namespace numpact::internal {

// With up to this many bins every start is tried for every end, which takes quadratic time. With
// more bins only a few starts are tried; the result may cost a little more.
inline constexpr std::size_t kMaxExhaustiveBinsN = 256;
// Starts tried before the recent ones in any case, as one vector of 16 floats.
inline constexpr std::size_t kNearStartsN = 16;
// The last starts before an end. Their costs are computed one by one, since the best costs before
// them were stored just now, and a vector load would wait for these stores.
inline constexpr std::size_t kRecentStartsN = 3;
// Elements that must be readable after every array, and writable after the arrays of `recent`.
inline constexpr std::size_t kMergeSlackN = kNearStartsN + kRecentStartsN;

// The input of merge_bins().
template <Latent L>
struct MergeProblem {
  const L* lowers;
  const L* uppers;
  const float* cumulative;  // n + 1 counts: latents before each bin, and all latents
  std::size_t n;            // bins
  float log_total;          // log2 of the count of latents
  float meta_bits;          // metadata of one bin
  float min_count;  // latents per state of the largest table: a bin takes one state at least
  std::array<float*, kRecentStartsN> recent;  // scratch of n floats each
};

// For j in [0, n] sets best[j] to the smallest cost of merging bins [0, j), and starts[j] to the
// start of the last merged bin. Returns best[n].
//
//   best[j] = min over i < j of best[i] + cost(bins [i, j) as one bin)
//
// With at most kMaxExhaustiveBinsN bins all starts i are tried. With more, the last kNearStartsN +
// kRecentStartsN starts are tried, and for each offset width the first start whose bin has this
// width. Between two such starts only the count changes, and the cost is concave in the count, so
// one of the two is the cheapest, or nearly.
template <Latent L>
float merge_bins(const MergeProblem<L>& problem, float* best, std::uint32_t* starts);

}  // namespace numpact::internal
