// SPDX-License-Identifier: Apache-2.0
#include "pco/bins/binning.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "pco/bins/weights.hpp"
#include "pco/latent/latent_encoder.hpp"
#include "pco/levels.hpp"
#include "pco/limits.hpp"

namespace numpact {
namespace {

// latent_bits: of the variable, in however many its latents are kept.
float bin_meta_bits(unsigned latent_bits, unsigned size_log) {
  const unsigned width_bits = static_cast<unsigned>(std::bit_width(latent_bits));
  return static_cast<float>(size_log + latent_bits + width_bits);
}

// What codes of a typical table cost in the metadata, before the table is known.
constexpr unsigned kTypicalSizeLog = 10;
// The table that a sample's whole chunk would probably get.
constexpr unsigned kSampledSizeLog = 12;

// Groups of fewer latents hardly ever pay for their metadata; more than a few groups of them do not
// pay for their time.
constexpr std::size_t kMinGroupN = 5;
constexpr std::size_t kMinGroups = 16;
constexpr std::size_t kFewGroups = 256;
// Of all latents, not of a sample: so few in each may be alike.
constexpr std::size_t kMinGroupsOfAll = 32;
// Values that occur often enough are at most a third of few latents; up to so many take no time.
constexpr std::size_t kFewValues = 64;
constexpr std::size_t kMinGroupNOfMany = 20;

// Up to so many latents, if all are looked at, groups are nearly as small as bins may be.
constexpr std::size_t kFewOfAll = 512;
constexpr std::size_t kMinGroupNOfAll = 8;

HistogramSpec sample_histogram(std::size_t n, bool is_all) {
  if (is_all && n <= kFewOfAll) {
    return {n / 8, std::clamp(n / kMinGroupNOfAll, kMinGroups, kMinGroupsOfAll), 1};
  }
  const std::size_t most_values = std::clamp<std::size_t>(n / 32, 150, 300);
  const std::size_t most_groups = std::clamp<std::size_t>(n / 128, 32, 64);
  return {std::min(n / 16, most_values), std::clamp(n / 64, kMinGroups, most_groups), 1};
}

// Bins fit the sample they were made for better than the chunk: by about so many bits each.
constexpr float kOptimism = 2.5f;

// What a page's states of a typical table of few codes take; one bin has none.
constexpr float kStatesBits = kAnsStates * 6;

template <Latent L>
float one_bin_bits(const Histogram<L>& all, std::size_t n, const BinCosts& costs) {
  const auto width = std::bit_width(static_cast<L>(all.uppers.back() - all.lowers.front()));
  return static_cast<float>(n) * static_cast<float>(width) + costs.meta_bits;
}

template <Latent L>
float estimate(std::span<const L> latents, float scale, const BinCosts& costs, Arena& arena) {
  const HistogramSpec spec = sample_histogram(latents.size(), scale <= 1);
  const Histogram<L> histogram = make_histogram(latents, spec, arena);
  const OptimizedBins<L> optimized = optimize_bins(histogram, costs, arena);
  if (optimized.bins.size() == 1) return optimized.total_bits;
  return std::min(optimized.total_bits + kStatesBits / scale,
                  one_bin_bits(histogram, latents.size(), costs));
}

// The bins, or one if that takes no more to speak of. Lives in the arena.
template <Latent L>
Histogram<L> one_or_all(const OptimizedBins<L>& optimized, const BinCosts& costs, float toll,
                        Arena& arena) {
  const Histogram<L>& all = optimized.bins;
  const std::size_t n = std::accumulate(all.counts.begin(), all.counts.end(), std::size_t{0});
  if (one_bin_bits(all, n, costs) > (1 + toll) * optimized.total_bits + kStatesBits) return all;
  const std::span<L> ends = arena.make<L>(2);
  ends[0] = all.lowers.front();
  ends[1] = all.uppers.back();
  const std::span<std::uint32_t> count = arena.make<std::uint32_t>(1);
  count[0] = static_cast<std::uint32_t>(n);
  return {ends.first(1), ends.last(1), count};
}

}  // namespace

BinningEffort BinningEffort::of_level(unsigned level, std::size_t n) {
  if (level == 0) return {};
  constexpr std::size_t kMostValues = 6000;
  constexpr std::size_t kMostGroups = 2048;
  static_assert(2 * kMostValues + 2 * kMostGroups + 2 <= kMaxBins, "all may stay");
  BinningEffort effort;
  // With few numbers the metadata of many bins cannot pay.
  const std::size_t usual =
      level < kLevelForSize ? std::max(std::min(n / kMinGroupN, kFewGroups), n / kMinGroupNOfMany)
                            : n / kMinGroupN;
  effort.histogram.groups =
      std::min({std::size_t{4} << level, std::max(kMinGroupsOfAll, usual), kMostGroups});
  const std::size_t most_values = level < 8 ? std::size_t{32} << level : kMostValues;
  const std::size_t frequent = std::max(n / 8, std::min(n / 3, kFewValues));
  effort.histogram.max_values = std::min({most_values, frequent, kMostValues});
  effort.histogram.most_sample_share = level < 8 ? 16 : level < 10 ? 8 : 1;
  effort.histogram.min_sample_n = std::size_t{1} << (level < kLevelForSize ? 11 : 15);
  // 2^12 states of 8 bytes just fit a first-level cache; more only where speed was given up.
  effort.tables.max_size_log = level < 10 ? std::min(12u, level + 4) : kMaxAnsSizeLog;
  // A thousandth of the bytes, for a tenth of the time to decode.
  effort.tables.toll = level < kLevelForSize ? 0.004 : 0;
  // One bin for all has no codes, and is decoded several times as fast.
  effort.codes_toll = level < kLevelForSize ? 0.0008f : 0;
  return effort;
}

Binning make_binning(const NarrowLatents& narrow, unsigned latent_bits, const BinningEffort& effort,
                     std::span<std::uint16_t> symbols, Arena& arena) {
  Binning binning;
  binning.latent_bits = latent_bits;
  const LatentArray& latents = narrow.latents;
  if (latents.n == 0) return binning;
  const HistogramSpec& spec = effort.histogram;
  const std::span<Bin> bins = arena.make<Bin>(spec.most_bins(latents.n));
  const ArenaScope scratch(arena);
  latents.visit([&](auto span) {
    using L = typename decltype(span)::value_type;
    const std::span<const L> all(span);
    Places<L> places{symbols, {}, 0};
    const Histogram<L> histogram = make_histogram(all, spec, arena, &places);
    const BinCosts costs{bin_meta_bits(latent_bits, kTypicalSizeLog), effort.tables.max_size_log};
    const OptimizedBins<L> optimized = optimize_bins(histogram, costs, arena);
    const Histogram<L> chosen = one_or_all(optimized, costs, effort.codes_toll, arena);
    const WeightsChoice weights = choose_weights(chosen.counts, effort.tables, arena);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      bins[i].lower = chosen.lowers[i];
      bins[i].weight = weights.weights[i];
      bins[i].offset_bits = static_cast<std::uint32_t>(
          std::bit_width(static_cast<L>(chosen.uppers[i] - chosen.lowers[i])));
    }
    binning.ans_size_log = weights.size_log;
    binning.bins = bins.first(chosen.size());
    if (places.ends.empty()) {
      find_symbols(binning, all, symbols.data(), arena);
    } else {
      find_symbols(binning, all, places, arena);
    }
    for (Bin& bin : bins.first(chosen.size())) bin.lower += narrow.base;
  });
  return binning;
}

float estimate_bits(const LatentArray& sample, float scale, Arena& arena) {
  if (sample.n == 0) return 0;
  const ArenaScope scratch(arena);
  return sample.visit([&](auto span) {
    using L = typename decltype(span)::value_type;
    const std::span<const L> latents(span);
    const float meta_bits = bin_meta_bits(kBits<L>, kTypicalSizeLog) / scale;
    const BinCosts costs{meta_bits + kOptimism * (1 - 1 / scale), kSampledSizeLog};
    if constexpr (sizeof(L) == 8) {
      const Range<L> range = range_of(latents);
      if (range.upper - range.lower <= ~std::uint32_t{0}) {
        return estimate(narrowed_copy(latents, range.lower, arena), scale, costs, arena);
      }
    }
    return estimate(latents, scale, costs, arena);
  });
}

}  // namespace numpact
