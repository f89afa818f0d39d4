// SPDX-License-Identifier: Apache-2.0
// Prepares the arrays of the dynamic program and reconstructs the merged bins from its result.
#include "pco/bins/bin_optimizer.hpp"

#include <algorithm>
#include <bit>

#include "pco/bins/bin_search_kernel.hpp"
#include "pco/stats/log2.hpp"

namespace numpact::internal {
namespace {

// A copy with kMergeSlackN zeros after it, for whole vectors to be loaded.
template <Latent L>
const L* with_slack(std::span<const L> ends, Arena& arena) {
  const std::span<L> copy = arena.make<L>(ends.size() + kMergeSlackN);
  std::copy(ends.begin(), ends.end(), copy.begin());
  std::fill_n(copy.end() - kMergeSlackN, kMergeSlackN, L{0});
  return copy.data();
}

// Sets starts[j] to the start of the last bin in the cheapest merge of bins [0, j). Returns the
// cost of the cheapest merge of all bins.
template <Latent L>
float find_cheapest_merge(const Histogram<L>& histogram, const BinCosts& costs, Arena& arena,
                          std::span<std::uint32_t> starts) {
  const std::size_t n = histogram.size();
  const std::size_t padded_n = n + 1 + kMergeSlackN;
  const std::span<float> cumulative =
      arena.make<float>(padded_n);  // counts before each bin; exact up to 2^24
  const std::span<float> best = arena.make<float>(padded_n);
  std::fill(best.begin(), best.end(), 0.0f);
  cumulative[0] = 0;
  for (std::size_t i = 0; i < n; ++i) {
    cumulative[i + 1] = cumulative[i] + static_cast<float>(histogram.counts[i]);
  }
  std::fill(cumulative.begin() + static_cast<std::ptrdiff_t>(n + 1), cumulative.end(),
            cumulative[n]);
  const float min_count =
      cumulative[n] / static_cast<float>(std::uint32_t{1} << costs.max_size_log);
  const MergeProblem<L> problem{
      with_slack(histogram.lowers, arena),
      with_slack(histogram.uppers, arena),
      cumulative.data(),
      n,
      fast_log2(cumulative[n]),
      costs.meta_bits,
      min_count,
      {arena.make<float>(padded_n).data(), arena.make<float>(padded_n).data(),
       arena.make<float>(padded_n).data()}};
  return merge_bins(problem, best.data(), starts.data());
}

}  // namespace

template <Latent L>
OptimizedBins<L> optimize_bins(const Histogram<L>& histogram, const BinCosts& costs, Arena& arena) {
  const std::size_t n = histogram.size();
  const std::span<L> lowers = arena.make<L>(n);
  const std::span<L> uppers = arena.make<L>(n);
  const std::span<std::uint32_t> counts = arena.make<std::uint32_t>(n);
  const ArenaScope scratch(arena);
  const std::span<std::uint32_t> starts = arena.make<std::uint32_t>(n + 1);
  OptimizedBins<L> result;
  result.total_bits = find_cheapest_merge(histogram, costs, arena, starts);

  // Follows `starts` from the last bin to the first.
  std::size_t size = 0;
  for (std::size_t j = n; j > 0; j = starts[j]) {
    std::uint32_t count = 0;
    for (std::size_t i = starts[j]; i < j; ++i) count += histogram.counts[i];
    lowers[size] = histogram.lowers[starts[j]];
    uppers[size] = histogram.uppers[j - 1];
    counts[size++] = count;
  }
  std::reverse(lowers.begin(), lowers.begin() + static_cast<std::ptrdiff_t>(size));
  std::reverse(uppers.begin(), uppers.begin() + static_cast<std::ptrdiff_t>(size));
  std::reverse(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(size));
  result.bins = {lowers.first(size), uppers.first(size), counts.first(size)};
  return result;
}

template OptimizedBins<std::uint8_t> optimize_bins(const Histogram<std::uint8_t>&, const BinCosts&,
                                                   Arena&);
template OptimizedBins<std::uint16_t> optimize_bins(const Histogram<std::uint16_t>&,
                                                    const BinCosts&, Arena&);
template OptimizedBins<std::uint32_t> optimize_bins(const Histogram<std::uint32_t>&,
                                                    const BinCosts&, Arena&);
template OptimizedBins<std::uint64_t> optimize_bins(const Histogram<std::uint64_t>&,
                                                    const BinCosts&, Arena&);

}  // namespace numpact::internal
