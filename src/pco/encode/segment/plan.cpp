// SPDX-License-Identifier: Apache-2.0
// The numbers are seen as short blocks, each with a histogram of its latents over bins that all
// share. Neighbours are joined as long as one chunk is estimated to be smaller than two. A first
// look at a sample and at few blocks finds the bins and tells whether a closer one may pay.
#include "pco/encode/segment/plan.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "pco/encode/estimate/coarse.hpp"
#include "pco/encode/estimate/sample.hpp"
#include "pco/encode/segment/join.hpp"
#include "pco/latent/latent_encoder.hpp"
#include "pco/levels.hpp"
#include "pco/mode/split.hpp"
#include "pco/stats/histogram.hpp"
#include "pco/stats/narrow.hpp"

namespace numpact {
namespace {

constexpr std::size_t kMostBlocks = 1024;
// The first look takes runs so long, one number in so many, but so many numbers at least.
constexpr std::size_t kRunN = 64;
constexpr std::size_t kOneRunIn = 8;
constexpr std::size_t kFirstLookN = std::size_t{1} << 10;
constexpr std::size_t kFirstLookNForSize = std::size_t{1} << 12;
// Fewer numbers are hardly ever cut for what looking takes.
constexpr std::size_t kLeastN = std::size_t{1} << 13;
constexpr std::size_t kLeastNForSize = std::size_t{1} << 12;
// The fewest and most blocks of it, and numbers in one.
constexpr std::size_t kFirstBlockN = std::size_t{1} << 13;
constexpr std::size_t kMinFirstBlocks = 16;
constexpr std::size_t kMostFirstBlocks = 64;
// The bins come of so many latents.
constexpr std::size_t kHistogramN = std::size_t{1} << 12;
constexpr std::size_t kHistogramNForSize = std::size_t{1} << 13;
// The closer look takes runs so long, one number in so many; all where size counts for most or
// there are few, and of numbers that take fewer bits each, where rare ones tell where to cut.
constexpr std::size_t kManyNumbers = std::size_t{1} << 16;
constexpr std::size_t kCloseRunN = 64;
constexpr std::size_t kCloseOneIn = 2;
constexpr float kRareBits = 1;
static_assert(kMinCutN % (kCloseOneIn * kCloseRunN) == 0, "blocks hold as many runs each");
// Numbers that the closer look takes at a time.
constexpr std::size_t kPieceN = std::size_t{1} << 14;
// In the metadata beside the latents' width: weight and offset width.
constexpr float kBinFieldBits = 24;
// Of a chunk beside its bins.
constexpr float kChunkBits = 300;
// What one must save beside that where not all of its numbers were seen: its bins fit those better
// than the rest, and choosing for it takes time.
constexpr float kChunkTollBits = 150;
// What a cut plan must save to be worth more chunks, and to be worth a second look: by level, as
// both take time, and how many numbers there are, as of few the first look promises too much.
struct MinSaving {
  float of_plan;
  float of_first_look;
};
constexpr MinSaving min_saving(unsigned level, std::size_t n) {
  if (level < 8) return {0.03f, 0.03f};
  if (level < kLevelForSize && n < kManyNumbers) return {0.015f, 0.01f};
  return {0.005f, 0.003f};
}
// The reference ends its chunks after so many numbers.
constexpr std::size_t kEvenN = std::size_t{1} << 18;
constexpr float kEvenSaving = 0.0015f;
// Less cannot be cut; of few numbers cuts of less save no more than some bytes.
constexpr float kMinBits = 4096;
constexpr float kMinBitsOfFew = 12288;
constexpr std::size_t kFewNumbers = std::size_t{1} << 14;
// What taking the other delta for some blocks must save for it to be looked at.
constexpr float kOtherDeltaSaving = 0.002f;
// By rough costs of so many latents it may take this much more at most, for it to be looked at.
constexpr std::size_t kRoughN = 512;
constexpr float kFarOff = 1.6f;
constexpr float kFarOffBits = 0.2f;

template <Latent L>
BlockBins share_bins(std::span<const L> stored, unsigned level, BinTree& tree, Arena& arena) {
  BlockBins shared;
  const std::span<Bin> bins = arena.make<Bin>(kCutLeaves);
  const ArenaScope scratch(arena);
  const std::size_t n =
      std::min(stored.size(), level < kLevelForSize ? kHistogramN : kHistogramNForSize);
  const std::span<L> some = arena.make<L>(n);
  const EvenPlaces places(stored.size(), n);
  for (std::size_t i = 0; i < n; ++i) some[i] = stored[places[i]];
  const HistogramSpec spec{kCutLeaves / 4, kCutLeaves / 4};
  Histogram<L> histogram = make_histogram(std::span<const L>(some), spec, arena);
  const std::size_t size = std::min(histogram.size(), kCutLeaves);
  histogram = {histogram.lowers.first(size), histogram.uppers.first(size),
               histogram.counts.first(size)};
  tree.set_leaves(histogram);
  for (std::size_t i = 0; i < size; ++i) {
    shared.places[i] = static_cast<std::uint16_t>(tree.shape().leaf_at(i));
    // What lies below the first bin counts for it.
    bins[i] = Bin{i == 0 ? std::uint64_t{0} : std::uint64_t{histogram.lowers[i]}, 1, kBits<L>};
  }
  shared.binning = Binning{kBits<L>, 0, bins.first(size)};
  return shared;
}

// Runs of latents as they would be stored; each loses `order`. In place.
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

// In fewer bits where bins are found faster so: among 64 bits they lie a level deeper, and bytes
// are looked up.
template <Latent L>
NarrowLatents narrow_for_search(std::span<L> latents) {
  if constexpr (sizeof(L) < 8) {
    const Range<L> range = range_of(std::span<const L>(latents));
    if (static_cast<L>(range.upper - range.lower) >> 8 != 0) return {LatentArray(latents), 0};
  }
  return narrow(LatentArray(latents));
}

// Of all bins those that narrow latents fall in, less their base.
struct SomeBins {
  std::size_t first = 0;
  Binning binning;
};

SomeBins bins_of(const NarrowLatents& narrow, std::span<const Bin> all, Arena& arena) {
  const std::uint64_t most = narrow.base + (~std::uint64_t{0} >> (64 - narrow.latents.bits));
  const auto after = [&](std::uint64_t latent) {
    const auto is_below = [](std::uint64_t value, const Bin& bin) { return value < bin.lower; };
    return static_cast<std::size_t>(std::upper_bound(all.begin(), all.end(), latent, is_below) -
                                    all.begin());
  };
  const std::size_t first = after(narrow.base) - 1;
  const std::size_t n = after(most) - first;
  const std::span<Bin> bins = arena.make<Bin>(n);
  for (std::size_t i = 0; i < n; ++i) {
    bins[i] = all[first + i];
    bins[i].lower = i == 0 ? 0 : bins[i].lower - narrow.base;
  }
  return {first, Binning{narrow.latents.bits, 0, bins}};
}

// Counts the stored latents of some blocks, each as many. The latents are used up.
template <Latent L>
void count_blocks(std::span<L> stored, const BlockBins& shared, const TreeShape& shape,
                  std::span<CutSegment> blocks, std::size_t delta, Arena& arena) {
  const std::size_t leaves = shape.leaves();
  for (CutSegment& block : blocks) {
    block.counts[delta] = arena.make<std::uint32_t>(leaves).data();
    std::fill_n(block.counts[delta], leaves, 0);
  }
  const ArenaScope scratch(arena);
  const std::span<std::uint16_t> indices = arena.make<std::uint16_t>(stored.size());
  const NarrowLatents narrow = narrow_for_search(stored);
  const SomeBins some = bins_of(narrow, shared.binning.bins, arena);
  narrow.latents.visit([&](auto latents) {
    using N = typename decltype(latents)::value_type;
    find_symbols(some.binning, std::span<const N>(latents), indices.data(), arena);
  });
  const std::size_t bins = some.binning.bins.size();
  const std::size_t per_block = stored.size() / blocks.size();
  const std::uint16_t* at = indices.data();
  for (CutSegment& block : blocks) {
    // Several tables, so that runs of one bin don't wait for their own counter.
    std::array<std::array<std::uint32_t, kCutLeaves>, 4> tables;
    for (auto& table : tables) std::fill_n(table.begin(), bins, 0);
    std::size_t i = 0;
    for (; i + tables.size() <= per_block; i += tables.size()) {
      for (std::size_t k = 0; k < tables.size(); ++k) ++tables[k][at[i + k]];
    }
    for (; i < per_block; ++i) ++tables[0][at[i]];
    at += per_block;
    for (std::size_t bin = 0; bin < bins; ++bin) {
      block.counts[delta][shared.places[some.first + bin]] =
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

// Runs of the numbers' ordered latents, evenly spread but for a shift within their stretch. random:
// goes on from call to call.
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

// The order whose deltas are most like those of any delta encoding.
unsigned order_like(const AnyDelta& delta) {
  if (const auto* consecutive = std::get_if<Consecutive>(&delta)) return consecutive->order;
  return std::holds_alternative<NoDelta>(delta) ? 0 : 1;
}

bool other_delta_pays(std::span<const CutSegment> blocks, const CutCosts& costs) {
  float first = 0;
  float least = 0;
  for (const CutSegment& block : blocks) {
    const float bits = costs.of_delta(0, block.counts[0]);
    first += bits;
    least += std::min(bits, costs.of_delta(1, block.counts[1]));
  }
  return least < (1 - kOtherDeltaSaving) * first;
}

bool saves(const CutPlan& plan, float share) { return plan.bits < (1 - share) * plan.uncut_bits; }

}  // namespace

CutPlanner::CutPlanner(const LatentArray& ordered, const Choice& choice, unsigned level,
                       Arena& arena)
    : ordered_(ordered),
      choice_(choice),
      level_(level),
      arena_(arena),
      sizes_(arena.make<std::size_t>(kMostBlocks)),
      before_(arena.mark()) {
  const unsigned order = order_like(choice.delta);
  orders_ = {order, order == 0 ? 1u : 0u};
}

CutPlan CutPlanner::uncut() const {
  CutPlan plan;
  sizes_[0] = ordered_.n;
  plan.sizes = sizes_.first(1);
  return plan;
}

float CutPlanner::look_first() {
  const float all_bits = choice_.bits * static_cast<float>(ordered_.n);
  const float least_bits = ordered_.n < kFewNumbers ? kMinBitsOfFew : kMinBits;
  const std::size_t least_n = level_ < kLevelForSize ? kLeastN : kLeastNForSize;
  if (ordered_.n < least_n || all_bits < least_bits) return 0;
  const CutPlan plan = plan_by_sample();
  if (saves(plan, min_saving(level_, ordered_.n).of_first_look))
    return 1 - plan.bits / plan.uncut_bits;
  arena_.rewind(before_);
  return 0;
}

CutPlan CutPlanner::look_closely() {
  const CutPlan plan = plan_closely();
  arena_.rewind(before_);
  return saves(plan, min_saving(level_, ordered_.n).of_plan) ? plan : even();
}

CutPlan CutPlanner::even() const {
  if (!saves(even_, kEvenSaving)) return uncut();
  const std::size_t n = ordered_.n;
  const std::size_t parts = (n + kEvenN - 1) / kEvenN;
  for (std::size_t i = 0; i < parts; ++i) sizes_[i] = (i + 1) * n / parts - i * n / parts;
  CutPlan plan = even_;
  plan.sizes = sizes_.first(parts);
  return plan;
}

CutPlan CutPlanner::plan_even(std::span<const CutSegment> blocks, const Seen& seen) {
  CutPlan plan;
  const std::size_t parts = (ordered_.n + kEvenN - 1) / kEvenN;
  if (parts == 1) return plan;
  const CutCosts costs = this->costs(seen);
  const float each = 1 / static_cast<float>(seen.n);
  plan.uncut_bits = uncut_bits(blocks, costs) * each;
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t begin = i * blocks.size() / parts;
    const std::size_t end = (i + 1) * blocks.size() / parts;
    plan.bits += uncut_bits(blocks.subspan(begin, end - begin), costs) * each;
  }
  return plan;
}

// At a sample.
CutPlan CutPlanner::plan_by_sample() {
  trees_ = {BinTree(arena_), BinTree(arena_)};
  const std::size_t n = ordered_.n;
  const std::size_t least_n = level_ < kLevelForSize ? kFirstLookN : kFirstLookNForSize;
  const std::size_t one_run_in = std::bit_floor(std::clamp<std::size_t>(n / least_n, 1, kOneRunIn));
  const std::size_t step = kRunN * one_run_in;
  const std::size_t most_blocks = std::clamp(n / kFirstBlockN, kMinFirstBlocks, kMostFirstBlocks);
  const std::size_t block_n = step * std::max<std::size_t>(1, n / (step * most_blocks));
  const std::span<CutSegment> blocks = make_blocks(block_n);
  const std::size_t runs = blocks.size() * (block_n / step);
  const LatentArray primary =
      split(choice_.mode, take_runs(ordered_, kRunN, step, runs, random_, arena_), arena_).primary;
  deltas_ = other_delta_is_near(primary) ? kCutDeltas : 1;
  primary.visit([&](auto latents) {
    using L = typename decltype(latents)::value_type;
    for (std::size_t d = 0; d < deltas_; ++d) {
      const std::span<L> copy = copy_of(std::span<const L>(latents), arena_);
      const std::span<L> stored = delta_encode_runs(copy, kRunN, orders_[d]);
      bins_[d] = share_bins(std::span<const L>(stored), level_, trees_[d], arena_);
      count_blocks(stored, bins_[d], trees_[d].shape(), blocks, d, arena_);
    }
  });
  const Seen seen{primary.n, primary.bits, kRunN};
  if (deltas_ > 1 && !other_delta_pays(blocks, costs(seen))) deltas_ = 1;
  even_ = plan_even(blocks, seen);
  return join(blocks, seen, 0);
}

// After the first look.
CutPlan CutPlanner::plan_closely() {
  const std::size_t block_n =
      std::max(kMinCutN, std::bit_ceil((ordered_.n + kMostBlocks - 1) / kMostBlocks));
  const std::span<CutSegment> blocks = make_blocks(block_n);
  const std::size_t per_piece = std::max<std::size_t>(1, kPieceN / block_n);
  Seen seen;
  for (std::size_t first = 0; first < blocks.size(); first += per_piece) {
    const std::size_t count = std::min(per_piece, blocks.size() - first);
    const LatentArray piece = ordered_.slice(first * block_n, count * block_n);
    const Seen counted = count_piece(piece, blocks.subspan(first, count), block_n);
    seen = {seen.n + counted.n, counted.bits, counted.run_n};
  }
  return join(blocks, seen, looks_at_all() ? 0 : kChunkTollBits);
}

std::span<CutSegment> CutPlanner::make_blocks(std::size_t block_n) {
  const std::span<CutSegment> blocks = arena_.make<CutSegment>(ordered_.n / block_n);
  for (CutSegment& block : blocks) block = {block_n, {}, 0, 0};
  blocks.back().n += ordered_.n % block_n;
  return blocks;
}

CutPlanner::Seen CutPlanner::count_piece(const LatentArray& piece, std::span<CutSegment> blocks,
                                         std::size_t block_n) {
  for (std::size_t d = 0; d < deltas_; ++d) {
    for (CutSegment& block : blocks) block.counts[d] = nullptr;
  }
  const std::span<std::uint32_t> kept =
      arena_.make<std::uint32_t>(deltas_ * blocks.size() * kCutLeaves);
  const ArenaScope scratch(arena_);
  constexpr std::size_t kStep = kCloseOneIn * kCloseRunN;
  const std::size_t run_n = looks_at_all() ? block_n : kCloseRunN;
  const LatentArray looked =
      looks_at_all() ? piece
                     : take_runs(piece, kCloseRunN, kStep, piece.n / kStep, random_, arena_);
  const LatentArray primary = split(choice_.mode, looked, arena_).primary;
  primary.visit([&](auto latents) {
    using L = typename decltype(latents)::value_type;
    for (std::size_t d = 0; d < deltas_; ++d) {
      const ArenaScope of_delta(arena_);
      const std::span<L> copy = copy_of(std::span<const L>(latents), arena_);
      const std::span<L> stored = delta_encode_runs(copy, run_n, orders_[d]);
      count_blocks(stored, bins_[d], trees_[d].shape(), blocks, d, arena_);
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        std::uint32_t* const to = kept.data() + (d * blocks.size() + i) * kCutLeaves;
        std::copy_n(blocks[i].counts[d], trees_[d].shape().leaves(), to);
        blocks[i].counts[d] = to;
      }
    }
  });
  return {primary.n, primary.bits, run_n};
}

bool CutPlanner::looks_at_all() const {
  return level_ >= kLevelForSize || ordered_.n < kManyNumbers || choice_.bits < kRareBits;
}

CutCosts CutPlanner::costs(const Seen& seen) const {
  const float share = static_cast<float>(seen.n) / static_cast<float>(ordered_.n);
  const float bin_bits = kBinFieldBits + static_cast<float>(seen.bits);
  CutCosts costs{std::span(trees_).first(deltas_), bin_bits * share, kChunkBits * share};
  for (std::size_t d = 0; d < kCutDeltas; ++d) {
    costs.shares[d] = static_cast<float>(seen.run_n) / static_cast<float>(seen.run_n - orders_[d]);
  }
  return costs;
}

// runs: each of kRunN.
bool CutPlanner::other_delta_is_near(const LatentArray& runs) const {
  const ArenaScope scratch(arena_);
  const float scale = static_cast<float>(ordered_.n) / static_cast<float>(runs.n);
  const Sample few = take_few({runs, kRunN, scale}, kRoughN, arena_);
  std::array<float, kCutDeltas> bits;
  few.latents.visit([&](auto latents) {
    using L = typename decltype(latents)::value_type;
    for (std::size_t d = 0; d < kCutDeltas; ++d) {
      const std::span<L> copy = copy_of(std::span<const L>(latents), arena_);
      const std::span<const L> stored = delta_encode_runs(copy, few.run_n, orders_[d]);
      bits[d] = rough_bits(stored, orders_[d] > 0, few.scale);
    }
  });
  return bits[1] < kFarOff * bits[0] + kFarOffBits;
}

float CutPlanner::uncut_bits(std::span<const CutSegment> blocks, const CutCosts& costs) const {
  CutCounts all{};
  for (std::size_t d = 0; d < deltas_; ++d) {
    const std::size_t leaves = trees_[d].shape().leaves();
    all[d] = arena_.make<std::uint32_t>(leaves).data();
    std::fill_n(all[d], leaves, 0);
    for (const CutSegment& block : blocks) {
      for (std::size_t leaf = 0; leaf < leaves; ++leaf) all[d][leaf] += block.counts[d][leaf];
    }
  }
  return costs.of(all);
}

CutPlan CutPlanner::join(std::span<CutSegment> blocks, const Seen& seen, float toll_bits) const {
  CutCosts costs = this->costs(seen);
  const float each = 1 / static_cast<float>(seen.n);
  CutPlan plan;
  plan.uncut_bits = uncut_bits(blocks, costs) * each;
  std::size_t size = 0;
  float bits = 0;
  const float toll = toll_bits * static_cast<float>(seen.n) / static_cast<float>(ordered_.n);
  costs.chunk_bits += toll;
  for (const CutSegment& segment : join_segments(blocks, costs, arena_)) {
    sizes_[size++] = segment.n;
    bits += segment.cost - toll;
  }
  plan.sizes = sizes_.first(size);
  plan.bits = bits * each;
  return plan;
}

}  // namespace numpact
