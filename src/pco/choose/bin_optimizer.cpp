// SPDX-License-Identifier: Apache-2.0
#include "pco/choose/bin_optimizer.hpp"

#include <algorithm>
#include <bit>

#include "pco/choose/bin_search_kernel.hpp"
#include "pco/stats/log2.hpp"

namespace numpact {
namespace {

// Marks, for each end j, the start of the last bin of the cheapest binning of [0, j).
template <Latent L>
float solve(const Histogram<L>& histogram, const BinCosts& costs, Arena& arena,
            std::span<std::uint32_t> starts) {
  const std::size_t n = histogram.size();
  const std::span<float> cumulative = arena.make<float>(n + 1);  // counts before each bin: exact
  const std::span<float> best = arena.make<float>(n + 1);
  const std::span<float> widths = arena.make<float>(n);
  const std::span<float> candidates = arena.make<float>(n);
  cumulative[0] = 0;
  for (std::size_t i = 0; i < n; ++i) {
    cumulative[i + 1] = cumulative[i] + static_cast<float>(histogram.counts[i]);
  }
  const float log_total = fast_log2(cumulative[n]);
  const float min_count =
      cumulative[n] / static_cast<float>(std::uint32_t{1} << costs.max_size_log);
  best[0] = 0;
  for (std::size_t j = 1; j <= n; ++j) {
    const std::size_t first = j > costs.max_span ? j - costs.max_span : 0;
    const MergeStep<L> step{histogram.lowers.data(),
                            histogram.uppers[j - 1],
                            cumulative.data(),
                            cumulative[j],
                            best.data(),
                            log_total,
                            costs.meta_bits,
                            min_count,
                            first,
                            j};
    best[j] = cheapest_merge(step, widths.data(), candidates.data(), starts[j]);
  }
  return best[n];
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
  result.total_bits = solve(histogram, costs, arena, starts);

  // Walk the marks back; bins come last first.
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

}  // namespace numpact
