// SPDX-License-Identifier: Apache-2.0
// Effort by level, and the pipeline from latents to bins: histogram, merging, weights, symbols.
#include "pco/bins/binning.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/tuned.hpp"
#include "pco/bins/weights.hpp"
#include "pco/latent/latent_encoder.hpp"
#include "pco/levels.hpp"
#include "pco/limits.hpp"
#include "pco/stats/log2.hpp"
#include "pco/stats/value_counts.hpp"

namespace numpact::internal {
namespace {

// Metadata bits of one bin. latent_bits: width of the variable in the format, not of the type that
// holds its latents here.
float bin_meta_bits(unsigned latent_bits, unsigned size_log) {
  const unsigned width_bits = static_cast<unsigned>(std::bit_width(latent_bits));
  return static_cast<float>(size_log + latent_bits + width_bits);
}

// The thresholds were set by the sizes of the shared columns (`./dev bench sizes`) against the time
// to encode them (`./dev bench levels`). Figures in comments are of the commit that set the value.

// log2 of the table size that bin costs assume before it is chosen: the bits of a weight in the
// metadata. It is that of kSmallTableSizeLog, beyond which tables must save more.
NUMPACT_TUNED(unsigned, kAssumedSizeLog, 10);
// The same for the whole chunk of a sample: the largest table of the default level.
NUMPACT_TUNED(unsigned, kAssumedSampledSizeLog, 12);

// Latents per group at least. Smaller groups hardly ever pay for their metadata.
NUMPACT_TUNED(std::size_t, kMinGroupLatentsN, 5);
// Each of more groups than this must have BinLevel::many_latents_n latents: more small groups do
// not pay for the time that merging them takes.
NUMPACT_TUNED(std::size_t, kMaxSmallGroupsN, 256);
// Groups that are allowed however few latents there are, if they are all latents of the chunk: the
// few latents of a group may be similar. In a sample that would overfit.
NUMPACT_TUNED(std::size_t, kAlwaysAllowedGroupsN, 32);
// The same for a sample, as a lower bound.
NUMPACT_TUNED(std::size_t, kMinSampleGroupsN, 16);
// Frequent values that are allowed even where they exceed an eighth of the latents. Each occurs at
// least three times, so they are at most a third. This few take hardly any time.
NUMPACT_TUNED(std::size_t, kMaxFreeValuesN, 64);

// Up to this many latents, if they are the whole chunk, the groups of an estimate are nearly as
// small as bins may be.
NUMPACT_TUNED(std::size_t, kMaxExactSampleN, 512);
NUMPACT_TUNED(std::size_t, kMinExactGroupLatentsN, 8);

// Chunks of up to kMaxShortSeriesN numbers that are encoded by a recipe have at most this number of
// groups and of frequent values: merging more takes most of the time, and saves little.
NUMPACT_TUNED(std::size_t, kShortSeriesGroupsN, 48);
NUMPACT_TUNED(std::size_t, kShortSeriesValuesN, 32);

// Bounds of the frequent values and of the groups of a larger sample. More make estimates slower,
// fewer make them worse where values repeat or where densities change often.
NUMPACT_TUNED(std::size_t, kMinSampleMaxValuesN, 150);
NUMPACT_TUNED(std::size_t, kMaxSampleMaxValuesN, 300);
NUMPACT_TUNED(std::size_t, kMinSampleMaxGroupsN, 32);
NUMPACT_TUNED(std::size_t, kMaxSampleMaxGroupsN, 64);

// The initial bins of an estimate: fewer than those of make_binning(), for speed and because a
// sample does not represent rare values.
HistogramSpec sample_histogram(std::size_t n, bool is_all) {
  if (is_all && n <= kMaxExactSampleN) {
    return {n / 8, std::clamp(n / kMinExactGroupLatentsN, kMinSampleGroupsN, kAlwaysAllowedGroupsN),
            1};
  }
  const std::size_t max_values = std::clamp(n / 32, kMinSampleMaxValuesN, kMaxSampleMaxValuesN);
  const std::size_t max_groups = std::clamp(n / 128, kMinSampleMaxGroupsN, kMaxSampleMaxGroupsN);
  return {std::min(n / 16, max_values), std::clamp(n / 64, kMinSampleGroupsN, max_groups), 1};
}

// Bits added per bin of a sample to correct overfitting: bins fit the sample they were made for
// better than the chunk. A higher value makes estimates prefer fewer bins. Half of it makes
// 0.031 % fewer bytes, twice of it 0.010 % fewer.
NUMPACT_TUNED(float, kOverfitBitsPerBin, 2.5f);

// Bits of the tANS states of a page, assuming 2^6 states per table. A single bin has no table.
NUMPACT_TUNED(float, kAssumedStatesBits, kAnsStates * 6);

template <Latent L>
float one_bin_bits(const Histogram<L>& all, std::size_t n, const BinCosts& costs) {
  const auto width = std::bit_width(static_cast<L>(all.uppers.back() - all.lowers.front()));
  return static_cast<float>(n) * static_cast<float>(width) + costs.meta_bits;
}

struct CodedBits {
  float bits;
  bool has_codes;
};

template <Latent L>
CodedBits estimate(std::span<const L> latents, float scale, const BinCosts& costs, float codes_bits,
                   Arena& arena) {
  const HistogramSpec spec = sample_histogram(latents.size(), scale <= 1);
  const Histogram<L> histogram = make_histogram(latents, spec, arena);
  const OptimizedBins<L> optimized = optimize_bins(histogram, costs, arena);
  if (optimized.bins.size() == 1) return {optimized.total_bits, false};
  const float coded = optimized.total_bits + kAssumedStatesBits / scale +
                      codes_bits * static_cast<float>(latents.size());
  const float one_bin = one_bin_bits(histogram, latents.size(), costs);
  return {std::min(coded, one_bin), coded < one_bin};
}

// The optimized bins, or a single bin for all latents if codes save too little. Lives in the arena.
template <Latent L>
Histogram<L> single_bin_if_cheap(const OptimizedBins<L>& optimized, const BinCosts& costs,
                                 const BinningEffort& effort, Arena& arena) {
  const Histogram<L>& all = optimized.bins;
  const std::size_t n = std::accumulate(all.counts.begin(), all.counts.end(), std::size_t{0});
  if (one_bin_bits(all, n, costs) > (1 + effort.codes_penalty_share) * optimized.total_bits +
                                        kAssumedStatesBits +
                                        effort.codes_bits * static_cast<float>(n)) {
    return all;
  }
  const std::span<L> ends = arena.make<L>(2);
  ends[0] = all.lowers.front();
  ends[1] = all.uppers.back();
  const std::span<std::uint32_t> count = arena.make<std::uint32_t>(1);
  count[0] = static_cast<std::uint32_t>(n);
  return {ends.first(1), ends.last(1), count};
}

}  // namespace

BinningEffort BinningEffort::of(const BinLevel& level, std::size_t n) {
  if (level.one_bin) return {};
  // Bounds of frequent values and of groups. Even if no bins are merged, there are at most
  // kMaxBins.
  constexpr std::size_t kMaxValuesN = 6000;
  constexpr std::size_t kMaxGroupsN = 2048;
  static_assert(2 * kMaxValuesN + 2 * kMaxGroupsN + 2 <= kMaxBins, "all may stay");
  BinningEffort effort;
  // With few numbers the metadata of many bins do not pay.
  const std::size_t affordable_groups =
      std::max(std::min(n / kMinGroupLatentsN, kMaxSmallGroupsN), n / level.many_latents_n);
  effort.histogram.groups =
      std::min({level.max_groups, std::max(kAlwaysAllowedGroupsN, affordable_groups), kMaxGroupsN});
  const std::size_t value_limit = std::max(n / 8, std::min(n / 3, kMaxFreeValuesN));
  effort.histogram.max_values = std::min({level.max_values, value_limit, kMaxValuesN});
  effort.histogram.max_sample_stride = level.max_sample_stride;
  effort.histogram.min_sample_n = std::size_t{1} << level.min_sample_n_log2;
  effort.tables.max_size_log = level.max_table_log2;
  effort.tables.large_table_penalty_share = level.large_table_penalty_share;
  effort.codes_penalty_share = level.codes_penalty_share;
  return effort;
}

BinningEffort BinningEffort::of_recipe(const BinLevel& level, std::size_t n) {
  BinningEffort effort = of(level, n);
  if (n > kMaxShortSeriesN || !level.limits_short_series) return effort;
  effort.histogram.groups = std::min(effort.histogram.groups, kShortSeriesGroupsN);
  effort.histogram.max_values = std::min(effort.histogram.max_values, kShortSeriesValuesN);
  return effort;
}

Binning make_binning(const NarrowLatents& narrow, unsigned latent_bits, const BinningEffort& effort,
                     std::span<std::uint16_t> symbols, Arena& arena) {
  Binning binning;
  binning.latent_bits = latent_bits;
  const LatentArray& latents = narrow.latents;
  if (latents.n == 0) return binning;
  const HistogramSpec& spec = effort.histogram;
  const std::span<Bin> bins = arena.make<Bin>(spec.max_bins(latents.n));
  const ArenaScope scratch(arena);
  latents.visit([&](auto span) {
    using L = typename decltype(span)::value_type;
    const std::span<const L> all(span);
    IntervalIndices<L> intervals{symbols, {}, 0};
    const Histogram<L> histogram = make_histogram(all, spec, arena, &intervals);
    const BinCosts costs{bin_meta_bits(latent_bits, kAssumedSizeLog), effort.tables.max_size_log};
    const OptimizedBins<L> optimized = optimize_bins(histogram, costs, arena);
    const Histogram<L> chosen = single_bin_if_cheap(optimized, costs, effort, arena);
    const WeightsChoice weights = choose_weights(chosen.counts, effort.tables, arena);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      bins[i].lower = chosen.lowers[i];
      bins[i].weight = weights.weights[i];
      bins[i].offset_bits = static_cast<std::uint32_t>(
          std::bit_width(static_cast<L>(chosen.uppers[i] - chosen.lowers[i])));
    }
    binning.ans_size_log = weights.size_log;
    binning.bins = bins.first(chosen.size());
    if (intervals.ends.empty()) {
      find_symbols(binning, all, symbols.data(), arena);
    } else {
      find_symbols(binning, all, intervals, arena);
    }
    for (Bin& bin : bins.first(chosen.size())) bin.lower += narrow.base;
  });
  return binning;
}

float estimate_bits(const LatentArray& sample, float scale, Arena& arena, float codes_bits,
                    bool* has_codes) {
  if (sample.n == 0) return 0;
  const ArenaScope scratch(arena);
  const CodedBits coded = sample.visit([&](auto span) {
    using L = typename decltype(span)::value_type;
    const std::span<const L> latents(span);
    const float meta_bits = bin_meta_bits(kBits<L>, kAssumedSizeLog) / scale;
    const BinCosts costs{meta_bits + kOverfitBitsPerBin * (1 - 1 / scale), kAssumedSampledSizeLog};
    if constexpr (sizeof(L) == 8) {
      const Range<L> range = range_of(latents);
      if (range.upper - range.lower <= ~std::uint32_t{0}) {
        return estimate(narrowed_copy(latents, range.lower, arena), scale, costs, codes_bits,
                        arena);
      }
    }
    return estimate(latents, scale, costs, codes_bits, arena);
  });
  if (has_codes != nullptr) *has_codes = coded.has_codes;
  return coded.bits;
}

float estimate_repeated_bits(const LatentArray& sample, float scale, Arena& arena) {
  if (sample.n == 0) return 0;
  const ArenaScope scratch(arena);
  return sample.visit([&](auto span) {
    using L = typename decltype(span)::value_type;
    const std::span<const L> latents(span);
    const Range<L> range = range_of(latents);
    const ValueCounts<L> values(latents, range, arena);
    const float n = static_cast<float>(latents.size());
    const float bin_bits =
        bin_meta_bits(kBits<L>, kAssumedSizeLog) / scale + kOverfitBitsPerBin * (1 - 1 / scale);
    float bits = bin_bits;
    float once = 0;
    for (const std::uint32_t count : values.counts()) {
      const float c = static_cast<float>(count);
      once += count == 1 ? 1 : 0;
      if (count > 1) bits += c * fast_log2(n / c) + bin_bits;
    }
    const auto width = std::bit_width(static_cast<L>(range.upper - range.lower));
    return once == 0 ? bits : bits + once * (fast_log2(n / once) + static_cast<float>(width));
  });
}

}  // namespace numpact::internal
