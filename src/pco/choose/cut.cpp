// SPDX-License-Identifier: Apache-2.0
// The numbers are seen as short blocks, each with a histogram of a sample of its latents over bins
// that all share. Neighbours are joined, first those that gain most, as long as one chunk is
// estimated to be smaller than two.
#include "pco/choose/cut.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "pco/choose/cut_kernel.hpp"
#include "pco/latent/latent_encoder.hpp"
#include "pco/mode/split.hpp"
#include "pco/stats/histogram.hpp"
#include "pco/stats/log2.hpp"

namespace numpact {
namespace {

constexpr std::size_t kMostBlocks = 1024;
// For a first look, which need not find the place.
constexpr std::size_t kFirstBlocks = 64;
constexpr std::size_t kMinBlockN = std::size_t{1} << 10;
// A first look takes runs so long of each block, one in so many.
constexpr std::size_t kRunN = 256;
constexpr std::size_t kOneRunIn = 8;
// Fewer numbers are looked at whole at once.
constexpr std::size_t kFewNumbers = std::size_t{1} << 16;
// The shared bins.
constexpr unsigned kLeavesLog = 8;
constexpr std::size_t kLeaves = std::size_t{1} << kLeavesLog;
constexpr TreeShape kShape{kLeavesLog};
constexpr std::size_t kHistogramN = std::size_t{1} << 15;
// In the metadata beside the latents' width: weight and offset width.
constexpr float kBinFieldBits = 24;
// Of a chunk beside its bins.
constexpr float kChunkBits = 300;
// What a cut plan must save to be worth more chunks.
constexpr float kMinSaving = 0.005f;

// Deltas that a segment may have: the one chosen for all, and one other.
constexpr std::size_t kDeltas = 2;

// Histograms over the shared bins, the cost of the segment, and of it joined with the next.
struct Segment {
  std::size_t n = 0;
  std::array<std::uint32_t*, kDeltas> counts{};
  float cost = 0;
  float joined_cost = 0;
};

// Shared bins as the leaves of a binary tree: a segment takes any of the tree's nodes for its bins.
class BinTree {
 public:
  explicit BinTree(Arena& arena)
      : widths_(arena.make<float>(kShape.nodes())),
        costs_(arena.make<float>(kShape.nodes())),
        sums_(arena.make<std::uint32_t>(kShape.nodes())) {}

  template <Latent L>
  void set_leaves(const Histogram<L>& bins) {
    std::array<L, kLeaves> lowers;
    std::array<L, kLeaves> uppers;
    for (std::size_t i = 0; i < kLeaves; ++i) {
      const std::size_t bin = std::min(i, bins.size() - 1);
      const bool is_value = bins.lowers[bin] == bins.uppers[bin];
      const bool is_last = bin + 1 == bins.size();
      lowers[i] = bins.lowers[bin];
      // What lies between two bins counts for the lower one, as find_symbols sees it.
      uppers[i] = is_value || is_last ? bins.uppers[bin] : static_cast<L>(bins.lowers[bin + 1] - 1);
    }
    float* level = widths_.data();
    for (unsigned log = kLeavesLog;; --log) {
      const TreeShape shape{log};
      const std::size_t size = shape.leaves();
      for (std::size_t i = 0; i < size; ++i) {
        const L spread = static_cast<L>(uppers[i] - lowers[i]);
        level[shape.leaf_at(i)] = static_cast<float>(std::bit_width(spread));
        if (i % 2 == 1) {
          lowers[i / 2] = lowers[i - 1];
          uppers[i / 2] = uppers[i];
        }
      }
      if (log == 0) return;
      level += size;
    }
  }

  // Bits of latents so distributed, where a bin in the metadata takes meta_bits.
  float cost(const std::uint32_t* counts, float meta_bits) const {
    return tree_cost(kShape, counts, widths_.data(), meta_bits, sums_.data(), costs_.data());
  }

 private:
  // Of all nodes.
  std::span<float> widths_;
  std::span<float> costs_;
  std::span<std::uint32_t> sums_;
};

struct Blocks {
  std::size_t block_n = 0;  // numbers in each, but for the last
  std::size_t count = 0;
  std::size_t run_n = 0;    // numbers that are looked at of each, in a row
  std::size_t runs = 0;     // such rows of each
  LatentArray runs_of_all;  // ordered latents
};

// Whole blocks, or one run in kOneRunIn.
enum class Look { kWhole, kRuns };

std::size_t block_n(std::size_t n, std::size_t most_blocks) {
  return std::max(kMinBlockN, std::bit_ceil((n + most_blocks - 1) / most_blocks));
}

Blocks take_blocks(const LatentArray& ordered, Look look, Arena& arena) {
  Blocks blocks;
  blocks.block_n = block_n(ordered.n, look == Look::kWhole ? kMostBlocks : kFirstBlocks);
  blocks.count = ordered.n / blocks.block_n;
  const std::size_t step = look == Look::kWhole ? blocks.block_n : kRunN * kOneRunIn;
  blocks.run_n = look == Look::kWhole ? blocks.block_n : kRunN;
  blocks.runs = blocks.block_n / step;
  ordered.visit([&](auto latents) {
    using L = typename decltype(latents)::value_type;
    const std::size_t total = blocks.count * blocks.runs;
    const std::span<L> copy = arena.make<L>(total * blocks.run_n);
    std::uint64_t random = 0x9e3779b97f4a7c15u;
    for (std::size_t run = 0; run < total; ++run) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      const std::size_t from =
          run * step + static_cast<std::size_t>((random >> 33) % (step - blocks.run_n + 1));
      std::copy_n(latents.begin() + static_cast<std::ptrdiff_t>(from), blocks.run_n,
                  copy.begin() + static_cast<std::ptrdiff_t>(run * blocks.run_n));
    }
    blocks.runs_of_all = LatentArray(copy);
  });
  return blocks;
}

// The runs' latents as they would be stored; each run loses `order`.
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

template <Latent L>
Histogram<L> shared_bins(std::span<const L> latents, Arena& arena) {
  const std::size_t n = std::min(latents.size(), kHistogramN);
  const std::span<L> some = arena.make<L>(n);
  for (std::size_t i = 0; i < n; ++i) some[i] = latents[i * latents.size() / n];
  const HistogramSpec spec{kLeaves / 4, kLeaves / 4};
  Histogram<L> bins = make_histogram(std::span<const L>(some), spec, arena);
  if (bins.size() > kLeaves) {
    // Never by the spec's sums but for ties of rounding.
    bins = {bins.lowers.first(kLeaves), bins.uppers.first(kLeaves), bins.counts.first(kLeaves)};
  }
  return bins;
}

// Which shared bin each latent falls into; those below the first into it.
template <Latent L>
std::span<std::uint16_t> bin_indices(const Histogram<L>& bins, std::span<const L> latents,
                                     Arena& arena) {
  const std::span<Bin> as_bins = arena.make<Bin>(bins.size());
  for (std::size_t i = 0; i < bins.size(); ++i) {
    as_bins[i] = Bin{i == 0 ? std::uint64_t{0} : std::uint64_t{bins.lowers[i]}, 1, kBits<L>};
  }
  const std::span<std::uint16_t> indices = arena.make<std::uint16_t>(latents.size());
  find_symbols(Binning{kBits<L>, 0, as_bins}, latents, indices.data(), arena);
  return indices;
}

struct Costs {
  std::span<BinTree> trees;  // by delta
  float meta_bits;
  float chunk_bits;

  float of(const std::array<std::uint32_t*, kDeltas>& counts) {
    float least = HUGE_VALF;
    for (std::size_t i = 0; i < trees.size(); ++i) {
      least = std::min(least, trees[i].cost(counts[i], meta_bits));
    }
    return chunk_bits + least;
  }
};

class Joiner {
 public:
  Joiner(std::span<Segment> segments, Costs& costs, Arena& arena)
      : segments_(segments), costs_(costs) {
    for (std::uint32_t*& counts : joined_) counts = arena.make<std::uint32_t>(kLeaves).data();
    for (Segment& segment : segments_) segment.cost = costs_.of(segment.counts);
    for (std::size_t i = 0; i + 1 < segments_.size(); ++i) weigh_joined(i);
  }

  void run() {
    while (segments_.size() > 1) {
      std::size_t best = 0;
      float best_gain = -HUGE_VALF;
      for (std::size_t i = 0; i + 1 < segments_.size(); ++i) {
        const float gain = segments_[i].cost + segments_[i + 1].cost - segments_[i].joined_cost;
        if (gain > best_gain) {
          best_gain = gain;
          best = i;
        }
      }
      if (best_gain < 0) return;
      join(best);
    }
  }

  std::span<const Segment> segments() const { return segments_; }
  float total_cost() const {
    float sum = 0;
    for (const Segment& segment : segments_) sum += segment.cost;
    return sum;
  }

 private:
  static void add(std::uint32_t* __restrict to, const std::uint32_t* __restrict counts) {
    for (std::size_t leaf = 0; leaf < kLeaves; ++leaf) to[leaf] += counts[leaf];
  }
  void weigh_joined(std::size_t i) {
    for (std::size_t d = 0; d < kDeltas; ++d) {
      std::copy_n(segments_[i].counts[d], kLeaves, joined_[d]);
      add(joined_[d], segments_[i + 1].counts[d]);
    }
    segments_[i].joined_cost = costs_.of(joined_);
  }
  void join(std::size_t i) {
    for (std::size_t d = 0; d < kDeltas; ++d) {
      add(segments_[i].counts[d], segments_[i + 1].counts[d]);
    }
    segments_[i].n += segments_[i + 1].n;
    segments_[i].cost = segments_[i].joined_cost;
    std::copy(segments_.begin() + static_cast<std::ptrdiff_t>(i) + 2, segments_.end(),
              segments_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    segments_ = segments_.first(segments_.size() - 1);
    if (i > 0) weigh_joined(i - 1);
    if (i + 1 < segments_.size()) weigh_joined(i);
  }

  std::span<Segment> segments_;
  Costs& costs_;
  std::array<std::uint32_t*, kDeltas> joined_{};
};

// Counts each block's latents under one delta. Returns how many latents were counted.
template <Latent L>
std::size_t count_blocks(std::span<const L> runs, const Blocks& blocks, unsigned order,
                         std::size_t delta, std::span<Segment> segments, BinTree& tree,
                         Arena& arena) {
  for (Segment& segment : segments) {
    segment.counts[delta] = arena.make<std::uint32_t>(kLeaves).data();
    std::fill_n(segment.counts[delta], kLeaves, 0);
  }
  const ArenaScope scratch(arena);
  const std::span<L> copy = arena.make<L>(runs.size());
  std::copy(runs.begin(), runs.end(), copy.begin());
  const std::span<const L> stored = delta_encode_runs(copy, blocks.run_n, order);
  const Histogram<L> bins = shared_bins(stored, arena);
  tree.set_leaves(bins);
  const std::span<const std::uint16_t> indices = bin_indices(bins, stored, arena);
  const std::size_t per_block = stored.size() / blocks.count;
  std::array<std::uint16_t, kLeaves> places;
  for (std::size_t i = 0; i < kLeaves; ++i) {
    places[i] = static_cast<std::uint16_t>(kShape.leaf_at(i));
  }
  for (std::size_t block = 0; block < blocks.count; ++block) {
    std::uint32_t* const counts = segments[block].counts[delta];
    for (const std::uint16_t index : indices.subspan(block * per_block, per_block)) {
      ++counts[places[index]];
    }
  }
  return stored.size();
}

template <Latent L>
CutPlan plan(std::span<const L> runs, const Blocks& blocks, std::size_t n, unsigned order,
             std::span<std::size_t> sizes, Arena& arena) {
  std::array<BinTree, kDeltas> trees{BinTree(arena), BinTree(arena)};
  const std::span<Segment> segments = arena.make<Segment>(blocks.count);
  for (Segment& segment : segments) segment = {blocks.block_n, {}, 0, 0};
  segments.back().n += n - blocks.count * blocks.block_n;
  const std::size_t seen = count_blocks(runs, blocks, order, 0, segments, trees[0], arena);
  count_blocks(runs, blocks, order == 0 ? 1 : 0, 1, segments, trees[1], arena);
  const float scale = static_cast<float>(n) / static_cast<float>(seen);
  Costs costs{trees, (kBinFieldBits + static_cast<float>(kBits<L>)) / scale, kChunkBits / scale};
  std::array<std::uint32_t*, kDeltas> all{};
  for (std::size_t d = 0; d < kDeltas; ++d) {
    all[d] = arena.make<std::uint32_t>(kLeaves).data();
    std::fill_n(all[d], kLeaves, 0);
    for (const Segment& segment : segments) {
      for (std::size_t leaf = 0; leaf < kLeaves; ++leaf) all[d][leaf] += segment.counts[d][leaf];
    }
  }
  Joiner joiner(segments, costs, arena);
  joiner.run();
  const float per_number = 1 / static_cast<float>(seen);
  CutPlan result;
  result.uncut_bits = costs.of(all) * per_number;
  result.bits = joiner.total_cost() * per_number;
  std::size_t size = 0;
  for (const Segment& segment : joiner.segments()) sizes[size++] = segment.n;
  result.sizes = sizes.first(size);
  return result;
}

// The order whose deltas are most like those of any delta encoding.
unsigned order_like(const AnyDelta& delta) {
  if (const auto* consecutive = std::get_if<Consecutive>(&delta)) return consecutive->order;
  return std::holds_alternative<NoDelta>(delta) ? 0 : 1;
}

}  // namespace

CutPlan plan_cuts(const LatentArray& ordered, const Choice& choice, Arena& arena) {
  const std::span<std::size_t> sizes = arena.make<std::size_t>(kMostBlocks);
  CutPlan uncut;
  sizes[0] = ordered.n;
  uncut.sizes = sizes.first(1);
  if (ordered.n < 2 * kMinBlockN) return uncut;
  const unsigned order = order_like(choice.delta);
  const auto plan_after = [&](Look look) {
    const ArenaScope scratch(arena);
    const Blocks blocks = take_blocks(ordered, look, arena);
    const LatentArray primary = split(choice.mode, blocks.runs_of_all, arena).primary;
    return primary.visit([&](auto runs) {
      using L = typename decltype(runs)::value_type;
      return plan<L>(runs, blocks, ordered.n, order, sizes, arena);
    });
  };
  const auto pays = [](const CutPlan& cut) { return cut.bits < (1 - kMinSaving) * cut.uncut_bits; };
  if (ordered.n <= kFewNumbers || pays(plan_after(Look::kRuns))) {
    const CutPlan cut = plan_after(Look::kWhole);
    if (pays(cut)) return cut;
  }
  sizes[0] = ordered.n;
  return uncut;
}

}  // namespace numpact
