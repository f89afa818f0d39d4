// SPDX-License-Identifier: Apache-2.0
// Plans segments by the cost of histograms. The numbers are divided into short blocks, each with a
// histogram of its latents over bins that all blocks share. Neighbours are joined as long as one
// chunk is estimated to be smaller than two. A coarse plan from a sample and few blocks finds the
// bins and estimates whether a full plan is worth its time
// (docs/decisions.md, 11).
#include "pco/encode/segment/plan.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "base/tuned.hpp"
#include "pco/encode/estimate/coarse.hpp"
#include "pco/encode/estimate/sample.hpp"
#include "pco/encode/segment/join.hpp"
#include "pco/latent/latent_encoder.hpp"
#include "pco/levels.hpp"
#include "pco/mode/split.hpp"
#include "pco/stats/histogram.hpp"
#include "pco/stats/narrow.hpp"

namespace numpact::internal {
namespace {

// The thresholds were set by the sizes of the shared columns (`./dev bench sizes`) against the time
// to encode them (`./dev bench levels`). Figures in comments are of the commit that set the value.

// The most blocks of a full plan. More find boundaries more exactly; joining them takes time that
// grows with their square.
NUMPACT_TUNED(std::size_t, kMaxBlocks, 1024);
// Plans sample runs of this many numbers: enough for their deltas. The coarse plan samples one run
// in kCoarseOneRunIn, but at least 2^SegmentLevel::min_coarse_plan_n_log2 numbers.
constexpr std::size_t kPlanRunN = 64;
NUMPACT_TUNED(std::size_t, kCoarseOneRunIn, 8);
// Blocks of the coarse plan have about kCoarseBlockN numbers, within these bounds of their count.
// More blocks find shorter segments, from fewer samples each.
constexpr std::size_t kCoarseBlockN = std::size_t{1} << 13;
NUMPACT_TUNED(std::size_t, kMinCoarseBlocks, 8);
NUMPACT_TUNED(std::size_t, kMaxCoarseBlocks, 64);
// The full plan of at least kMinSampledPlanN numbers, which take at least
// kMinSampledPlanBitsPerNumber bits each, samples one in kFullPlanOneRunIn runs of kPlanRunN
// numbers. All numbers are counted if the level asks for that, and where numbers take less: then
// rare ones decide where segments begin.
constexpr std::size_t kMinSampledPlanN = std::size_t{1} << 16;
constexpr std::size_t kFullPlanOneRunIn = 4;
NUMPACT_TUNED(float, kMinSampledPlanBitsPerNumber, 1);
static_assert(kMinSegmentN % (kFullPlanOneRunIn * kPlanRunN) == 0,
              "every block holds the same number of whole runs");
// The full plan counts this many numbers at a time, so that they stay in the cache.
constexpr std::size_t kPlanSliceN = std::size_t{1} << 14;
// Metadata of a bin besides its lower bound: a weight of up to 14 bits and an offset width of up to
// 7, rounded up.
NUMPACT_TUNED(float, kSegmentBinFieldBits, 24);
// The cost of a chunk besides its bins: its head, mode and delta, the first latents and the states
// of its page, and what estimates do not see. A higher value makes fewer segments.
NUMPACT_TUNED(float, kSegmentOverheadBits, 100);
// Additional cost of a segment if not all of its numbers were counted: its bins fit the counted
// ones better than the rest, and choosing for it takes time. Half of it makes 0.257 % more bytes,
// twice of it 0.006 % more.
NUMPACT_TUNED(float, kSampledSegmentPenaltyBits, 150);
// The chunk length of the reference encoder: if the coarse plan finds no segments but chunks of
// this length save at least this share, they are used.
constexpr std::size_t kEvenSegmentN = std::size_t{1} << 18;
NUMPACT_TUNED(float, kMinEvenSavingShare, 0.0015f);
// Runs of fewer bits are not divided; short runs must have more, since segments of fewer bits save
// no more than a few bytes.
NUMPACT_TUNED(float, kMinSegmentedRunBits, 4096);
NUMPACT_TUNED(float, kMinSegmentedShortRunBits, 12288);
// Numbers of a run that is not short.
constexpr std::size_t kMinLongRunN = std::size_t{1} << 14;
// The share of all bits that taking the cheaper of the two delta encodings for each block must
// save, or a full plan ignores the other one.
NUMPACT_TUNED(float, kMinOtherDeltaSavingShare, 0.002f);
// The other delta encoding is counted at all if its coarse estimate on this many latents is at most
// this ratio of the chosen one's plus these bits.
NUMPACT_TUNED(std::size_t, kOtherDeltaCoarseN, 512);
NUMPACT_TUNED(float, kMaxOtherDeltaRatio, 1.6f);
NUMPACT_TUNED(float, kMaxOtherDeltaExcessBitsPerNumber, 0.2f);

// Makes the bins that all blocks share under one delta encoding from at most max_n latents, and
// sets the tree's leaves to them.
template <Latent L>
BlockBins share_bins(std::span<const L> stored, std::size_t max_n, BinTree& tree, Arena& arena) {
  BlockBins shared;
  const std::span<Bin> bins = arena.make<Bin>(kMaxTreeLeaves);
  const ArenaScope scratch(arena);
  const std::size_t n = std::min(stored.size(), max_n);
  const std::span<L> few = arena.make<L>(n);
  const EvenPositions positions(stored.size(), n);
  for (std::size_t i = 0; i < n; ++i) few[i] = stored[positions[i]];
  const HistogramSpec spec{kMaxTreeLeaves / 4, kMaxTreeLeaves / 4};
  Histogram<L> histogram = make_histogram(std::span<const L>(few), spec, arena);
  const std::size_t size = std::min(histogram.size(), kMaxTreeLeaves);
  histogram = {histogram.lowers.first(size), histogram.uppers.first(size),
               histogram.counts.first(size)};
  tree.set_leaves(histogram);
  for (std::size_t i = 0; i < size; ++i) {
    shared.leaves[i] = static_cast<std::uint16_t>(tree.shape().leaf_at(i));
    // Latents below the first bin count as its own.
    bins[i] = Bin{i == 0 ? std::uint64_t{0} : std::uint64_t{histogram.lowers[i]}, 1, kBits<L>};
  }
  shared.binning = Binning{kBits<L>, 0, bins.first(size)};
  return shared;
}

// Delta encodes each run in place, without its first `order` latents. Returns the deltas.
template <Latent L>
std::span<L> delta_encode_runs(std::span<L> latents, std::size_t run_n, unsigned order) {
  if (order == 0) return latents;
  L moments[kMaxConsecutiveOrder];
  const std::size_t kept = run_n - order;
  const std::size_t runs = latents.size() / run_n;
  for (std::size_t run = 0; run < runs; ++run) {
    L* const from = latents.data() + run * run_n;
    encode_consecutive(std::span<L>(moments, order), from, run_n);
    std::copy_n(from, kept, latents.data() + run * kept);
  }
  return latents.first(runs * kept);
}

// Stores latents in fewer bits if that makes it faster to find their bins: among bins of 64 bits
// the search is a level deeper, and bytes are looked up in a table.
template <Latent L>
NarrowLatents narrow_for_search(std::span<L> latents) {
  if constexpr (sizeof(L) < 8) {
    const Range<L> range = range_of(std::span<const L>(latents));
    if (static_cast<L>(range.upper - range.lower) >> 8 != 0) return {LatentArray(latents), 0};
  }
  return narrow(LatentArray(latents));
}

// The shared bins that narrow latents fall into, less the latents' base.
struct SomeBins {
  std::size_t first = 0;
  Binning binning;
};

SomeBins bins_of(const NarrowLatents& narrow, std::span<const Bin> all, Arena& arena) {
  const std::uint64_t last = narrow.base + largest_latent(narrow.latents.bits);
  const auto after = [&](std::uint64_t latent) {
    const auto is_below = [](std::uint64_t value, const Bin& bin) { return value < bin.lower; };
    return static_cast<std::size_t>(std::upper_bound(all.begin(), all.end(), latent, is_below) -
                                    all.begin());
  };
  const std::size_t first = after(narrow.base) - 1;
  const std::size_t n = after(last) - first;
  const std::span<Bin> bins = arena.make<Bin>(n);
  for (std::size_t i = 0; i < n; ++i) {
    bins[i] = all[first + i];
    bins[i].lower = i == 0 ? 0 : bins[i].lower - narrow.base;
  }
  return {first, Binning{narrow.latents.bits, 0, bins}};
}

// Counts the stored latents of blocks of equal length, in their bins. Destroys the latents.
template <Latent L>
void count_blocks(std::span<L> stored, const BlockBins& shared, const TreeShape& shape,
                  std::span<CountedSegment> blocks, std::size_t delta, Arena& arena) {
  const std::size_t leaves = shape.leaves();
  for (CountedSegment& block : blocks) {
    block.counts[delta] = arena.make<std::uint32_t>(leaves).data();
    std::fill_n(block.counts[delta], leaves, 0);
  }
  const ArenaScope scratch(arena);
  const std::span<std::uint16_t> indices = arena.make<std::uint16_t>(stored.size());
  const NarrowLatents narrow = narrow_for_search(stored);
  const SomeBins few = bins_of(narrow, shared.binning.bins, arena);
  narrow.latents.visit([&](auto latents) {
    using N = typename decltype(latents)::value_type;
    find_symbols(few.binning, std::span<const N>(latents), indices.data(), arena);
  });
  const std::size_t bins = few.binning.bins.size();
  const std::size_t per_block = stored.size() / blocks.size();
  const std::uint16_t* at = indices.data();
  for (CountedSegment& block : blocks) {
    // Several tables avoid waiting for a counter that was just incremented.
    std::array<std::array<std::uint32_t, kMaxTreeLeaves>, 4> tables;
    for (auto& table : tables) std::fill_n(table.begin(), bins, 0);
    std::size_t i = 0;
    for (; i + tables.size() <= per_block; i += tables.size()) {
      for (std::size_t k = 0; k < tables.size(); ++k) ++tables[k][at[i + k]];
    }
    for (; i < per_block; ++i) ++tables[0][at[i]];
    at += per_block;
    for (std::size_t bin = 0; bin < bins; ++bin) {
      block.counts[delta][shared.leaves[few.first + bin]] =
          (tables[0][bin] + tables[1][bin]) + (tables[2][bin] + tables[3][bin]);
    }
  }
}

template <Latent L>
std::span<L> copy_of(std::span<const L> latents, Arena& arena) {
  const std::span<L> copy = arena.make<L>(latents.size());
  std::copy(latents.begin(), latents.end(), copy.begin());
  return copy;
}

// Takes `count` runs of ordered latents, one within each `step` latents at a pseudorandom shift.
// random: state of the generator, which continues from call to call.
LatentArray take_runs(const LatentArray& ordered, std::size_t run_n, std::size_t step,
                      std::size_t count, std::uint64_t& random, Arena& arena) {
  return ordered.visit([&](auto latents) {
    using L = typename decltype(latents)::value_type;
    const std::span<L> runs = arena.make<L>(count * run_n);
    for (std::size_t run = 0; run < count; ++run) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      const std::size_t from =
          run * step + static_cast<std::size_t>((random >> 33) % (step - run_n + 1));
      std::copy_n(latents.begin() + static_cast<std::ptrdiff_t>(from), run_n,
                  runs.begin() + static_cast<std::ptrdiff_t>(run * run_n));
    }
    return LatentArray(runs);
  });
}

// The order of Consecutive whose deltas are most similar to those of the given delta encoding.
unsigned similar_order(const AnyDelta& delta) {
  if (const auto* consecutive = std::get_if<Consecutive>(&delta)) return consecutive->order;
  return std::holds_alternative<NoDelta>(delta) ? 0 : 1;
}

bool other_delta_saves(std::span<const CountedSegment> blocks, const SegmentCosts& costs) {
  float first = 0;
  float min_bits = 0;
  for (const CountedSegment& block : blocks) {
    const float bits = costs.of_delta(0, block.counts[0]);
    first += bits;
    min_bits += std::min(bits, costs.of_delta(1, block.counts[1]));
  }
  return min_bits < (1 - kMinOtherDeltaSavingShare) * first;
}

bool saves(const SegmentPlan& plan, float share) {
  return plan.bits < (1 - share) * plan.single_bits;
}

}  // namespace

SegmentPlanner::SegmentPlanner(const LatentArray& ordered, const Choice& choice,
                               const SegmentLevel& level, Arena& arena)
    : ordered_(ordered),
      choice_(choice),
      level_(level),
      arena_(arena),
      sizes_(arena.make<std::size_t>(kMaxBlocks)),
      before_(arena.mark()) {
  const unsigned order = similar_order(choice.delta);
  orders_ = {order, order == 0 ? 1u : 0u};
}

float SegmentPlanner::min_saving() const {
  return ordered_.n < kMinSampledPlanN ? level_.min_saving_short : level_.min_saving;
}

float SegmentPlanner::min_coarse_saving() const {
  return ordered_.n < kMinSampledPlanN ? level_.min_coarse_saving_short : level_.min_coarse_saving;
}

SegmentPlan SegmentPlanner::coarse_plan() {
  const float all_bits = choice_.bits * static_cast<float>(ordered_.n);
  const float min_bits =
      ordered_.n < kMinLongRunN ? kMinSegmentedShortRunBits : kMinSegmentedRunBits;
  const std::size_t min_n = std::size_t{1} << level_.min_run_n_log2;
  if (ordered_.n < min_n || all_bits < min_bits) return {};
  const SegmentPlan plan = sampled_plan();
  needs_full_plan_ = saves(plan, min_coarse_saving());
  if (needs_full_plan_) return {{}, plan.bits, plan.single_bits, min_coarse_saving()};
  arena_.rewind(before_);
  return {};
}

SegmentPlan SegmentPlanner::plan() {
  if (!needs_full_plan_) return plan_even();
  SegmentPlan plan = full_plan();
  plan.required_share = min_saving();
  arena_.rewind(before_);
  return saves(plan, min_saving()) ? plan : plan_even();
}

SegmentPlan SegmentPlanner::plan_even() const {
  const std::size_t n = ordered_.n;
  const bool saves_enough = saves(even_, kMinEvenSavingShare);
  const std::size_t segments = saves_enough ? (n + kEvenSegmentN - 1) / kEvenSegmentN : 1;
  for (std::size_t i = 0; i < segments; ++i) sizes_[i] = (i + 1) * n / segments - i * n / segments;
  SegmentPlan plan = saves_enough ? even_ : SegmentPlan{};
  plan.sizes = sizes_.first(segments);
  plan.required_share = kMinEvenSavingShare;
  return plan;
}

SegmentPlan SegmentPlanner::estimate_even(std::span<const CountedSegment> blocks,
                                          const Counted& counted) {
  SegmentPlan plan;
  const std::size_t segments = (ordered_.n + kEvenSegmentN - 1) / kEvenSegmentN;
  if (segments == 1) return plan;
  const SegmentCosts costs = this->costs(counted);
  const float per_number = 1 / static_cast<float>(counted.n);
  plan.single_bits = single_bits(blocks, costs) * per_number;
  for (std::size_t i = 0; i < segments; ++i) {
    const std::size_t begin = i * blocks.size() / segments;
    const std::size_t end = (i + 1) * blocks.size() / segments;
    plan.bits += single_bits(blocks.subspan(begin, end - begin), costs) * per_number;
  }
  return plan;
}

// From a sample; also finds the shared bins.
SegmentPlan SegmentPlanner::sampled_plan() {
  trees_ = {BinTree(arena_), BinTree(arena_)};
  const std::size_t n = ordered_.n;
  const std::size_t min_n = std::size_t{1} << level_.min_coarse_plan_n_log2;
  const std::size_t one_run_in =
      std::bit_floor(std::clamp<std::size_t>(n / min_n, 1, kCoarseOneRunIn));
  const std::size_t step = kPlanRunN * one_run_in;
  const std::size_t target_blocks =
      std::clamp(n / kCoarseBlockN, kMinCoarseBlocks, kMaxCoarseBlocks);
  const std::size_t block_n = step * std::max<std::size_t>(1, n / (step * target_blocks));
  const std::span<CountedSegment> blocks = make_blocks(block_n);
  const std::size_t runs = blocks.size() * (block_n / step);
  const LatentArray primary =
      split(choice_.mode, take_runs(ordered_, kPlanRunN, step, runs, random_, arena_), arena_)
          .primary;
  deltas_ = other_delta_is_near(primary) ? kSegmentDeltas : 1;
  primary.visit([&](auto latents) {
    using L = typename decltype(latents)::value_type;
    for (std::size_t d = 0; d < deltas_; ++d) {
      const std::span<L> copy = copy_of(std::span<const L>(latents), arena_);
      const std::span<L> stored = delta_encode_runs(copy, kPlanRunN, orders_[d]);
      bins_[d] = share_bins(std::span<const L>(stored), std::size_t{1} << level_.shared_bins_n_log2,
                            trees_[d], arena_);
      count_blocks(stored, bins_[d], trees_[d].shape(), blocks, d, arena_);
    }
  });
  const Counted counted{primary.n, primary.bits, kPlanRunN};
  if (deltas_ > 1 && !other_delta_saves(blocks, costs(counted))) deltas_ = 1;
  even_ = estimate_even(blocks, counted);
  return join(blocks, counted, 0);
}

// With the bins of the coarse plan.
SegmentPlan SegmentPlanner::full_plan() {
  const std::size_t block_n =
      std::max(kMinSegmentN, std::bit_ceil((ordered_.n + kMaxBlocks - 1) / kMaxBlocks));
  const std::span<CountedSegment> blocks = make_blocks(block_n);
  const std::size_t per_slice = std::max<std::size_t>(1, kPlanSliceN / block_n);
  Counted counted;
  for (std::size_t first = 0; first < blocks.size(); first += per_slice) {
    const std::size_t count = std::min(per_slice, blocks.size() - first);
    const LatentArray slice = ordered_.slice(first * block_n, count * block_n);
    const Counted of_slice = count_slice(slice, blocks.subspan(first, count), block_n);
    counted = {counted.n + of_slice.n, of_slice.bits, of_slice.run_n};
  }
  return join(blocks, counted, counts_all() ? 0 : kSampledSegmentPenaltyBits);
}

std::span<CountedSegment> SegmentPlanner::make_blocks(std::size_t block_n) {
  const std::span<CountedSegment> blocks = arena_.make<CountedSegment>(ordered_.n / block_n);
  for (CountedSegment& block : blocks) block = {block_n, {}, 0, 0};
  blocks.back().n += ordered_.n % block_n;
  return blocks;
}

SegmentPlanner::Counted SegmentPlanner::count_slice(const LatentArray& slice,
                                                    std::span<CountedSegment> blocks,
                                                    std::size_t block_n) {
  for (std::size_t d = 0; d < deltas_; ++d) {
    for (CountedSegment& block : blocks) block.counts[d] = nullptr;
  }
  const std::span<std::uint32_t> kept =
      arena_.make<std::uint32_t>(deltas_ * blocks.size() * kMaxTreeLeaves);
  const ArenaScope scratch(arena_);
  // Numbers from the beginning of a counted run to that of the next.
  NUMPACT_TUNED(std::size_t, kStep, kFullPlanOneRunIn * kPlanRunN);
  const std::size_t run_n = counts_all() ? block_n : kPlanRunN;
  const LatentArray runs =
      counts_all() ? slice : take_runs(slice, kPlanRunN, kStep, slice.n / kStep, random_, arena_);
  const LatentArray primary = split(choice_.mode, runs, arena_).primary;
  primary.visit([&](auto latents) {
    using L = typename decltype(latents)::value_type;
    for (std::size_t d = 0; d < deltas_; ++d) {
      const ArenaScope of_delta(arena_);
      const std::span<L> copy = copy_of(std::span<const L>(latents), arena_);
      const std::span<L> stored = delta_encode_runs(copy, run_n, orders_[d]);
      count_blocks(stored, bins_[d], trees_[d].shape(), blocks, d, arena_);
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        std::uint32_t* const to = kept.data() + (d * blocks.size() + i) * kMaxTreeLeaves;
        std::copy_n(blocks[i].counts[d], trees_[d].shape().leaves(), to);
        blocks[i].counts[d] = to;
      }
    }
  });
  return {primary.n, primary.bits, run_n};
}

bool SegmentPlanner::counts_all() const {
  return level_.counts_all || ordered_.n < kMinSampledPlanN ||
         choice_.bits < kMinSampledPlanBitsPerNumber;
}

SegmentCosts SegmentPlanner::costs(const Counted& counted) const {
  const float share = static_cast<float>(counted.n) / static_cast<float>(ordered_.n);
  const float bin_bits = kSegmentBinFieldBits + static_cast<float>(counted.bits);
  SegmentCosts costs{std::span(trees_).first(deltas_), bin_bits * share,
                     kSegmentOverheadBits * share};
  for (std::size_t d = 0; d < kSegmentDeltas; ++d) {
    costs.latents_per_delta[d] =
        static_cast<float>(counted.run_n) / static_cast<float>(counted.run_n - orders_[d]);
  }
  return costs;
}

// runs: each of kPlanRunN latents.
bool SegmentPlanner::other_delta_is_near(const LatentArray& runs) const {
  const ArenaScope scratch(arena_);
  const float scale = static_cast<float>(ordered_.n) / static_cast<float>(runs.n);
  const Sample subsample = take_subsample({runs, kPlanRunN, scale}, kOtherDeltaCoarseN, arena_);
  std::array<float, kSegmentDeltas> bits;
  subsample.latents.visit([&](auto latents) {
    using L = typename decltype(latents)::value_type;
    for (std::size_t d = 0; d < kSegmentDeltas; ++d) {
      const std::span<L> copy = copy_of(std::span<const L>(latents), arena_);
      const std::span<const L> stored = delta_encode_runs(copy, subsample.run_n, orders_[d]);
      bits[d] = coarse_bits(stored, orders_[d] > 0, subsample.scale);
    }
  });
  return bits[1] < kMaxOtherDeltaRatio * bits[0] + kMaxOtherDeltaExcessBitsPerNumber;
}

float SegmentPlanner::single_bits(std::span<const CountedSegment> blocks,
                                  const SegmentCosts& costs) const {
  LeafCounts all{};
  for (std::size_t d = 0; d < deltas_; ++d) {
    const std::size_t leaves = trees_[d].shape().leaves();
    all[d] = arena_.make<std::uint32_t>(leaves).data();
    std::fill_n(all[d], leaves, 0);
    for (const CountedSegment& block : blocks) {
      for (std::size_t leaf = 0; leaf < leaves; ++leaf) all[d][leaf] += block.counts[d][leaf];
    }
  }
  return costs.of(all);
}

SegmentPlan SegmentPlanner::join(std::span<CountedSegment> blocks, const Counted& counted,
                                 float penalty_bits) const {
  SegmentCosts costs = this->costs(counted);
  const float per_number = 1 / static_cast<float>(counted.n);
  SegmentPlan plan;
  plan.single_bits = single_bits(blocks, costs) * per_number;
  std::size_t size = 0;
  float bits = 0;
  const float penalty =
      penalty_bits * static_cast<float>(counted.n) / static_cast<float>(ordered_.n);
  costs.chunk_bits += penalty;
  for (const CountedSegment& segment : join_segments(blocks, costs, arena_)) {
    sizes_[size++] = segment.n;
    bits += segment.cost - penalty;
  }
  plan.sizes = sizes_.first(size);
  plan.bits = bits * per_number;
  return plan;
}

}  // namespace numpact::internal
