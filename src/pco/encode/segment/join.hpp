// SPDX-License-Identifier: Apache-2.0
// Segments of numbers as histograms over shared bins, and the joining of neighbours.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "pco/encode/segment/histogram_kernel.hpp"
#include "pco/stats/histogram.hpp"

namespace numpact::internal {

// Log2 of the most shared bins. More describe segments better; counting and comparing takes longer.
inline constexpr unsigned kMaxTreeLeavesLog = 8;
inline constexpr TreeShape kMaxTreeShape{kMaxTreeLeavesLog};
inline constexpr std::size_t kMaxTreeLeaves = std::size_t{1} << kMaxTreeLeavesLog;

// Delta encodings that a segment may have: the one chosen for the run, and one other.
inline constexpr std::size_t kSegmentDeltas = 2;
// For each delta encoding, the counts of the tree's leaves.
using LeafCounts = std::array<std::uint32_t*, kSegmentDeltas>;

// Shared bins as the leaves of a binary tree. A segment may use any nodes of the tree as its bins.
class BinTree {
 public:
  BinTree() = default;
  explicit BinTree(Arena& arena)
      : widths_(arena.make<float>(kMaxTreeShape.capacity())),
        costs_(arena.make<float>(kMaxTreeShape.capacity())),
        sums_(arena.make<std::uint32_t>(kMaxTreeShape.capacity())) {
    std::fill(widths_.begin(), widths_.end(), 0.0f);
    std::fill(sums_.begin(), sums_.end(), 0);
  }

  // Sets the leaves to the bins, of which there are at most kMaxTreeLeaves. May be called once
  // only: sums_ must stay 0 after the nodes.
  template <Latent L>
  void set_leaves(const Histogram<L>& bins) {
    shape_.log = static_cast<unsigned>(std::bit_width(bins.size() - 1));
    std::array<L, kMaxTreeLeaves> lowers;
    std::array<L, kMaxTreeLeaves> uppers;
    for (std::size_t i = 0; i < shape_.leaves(); ++i) {
      const std::size_t bin = std::min(i, bins.size() - 1);
      const bool is_value = bins.lowers[bin] == bins.uppers[bin];
      const bool is_last = bin + 1 == bins.size();
      lowers[i] = bins.lowers[bin];
      // Latents between two bins count for the lower one, as in find_symbols.
      uppers[i] = is_value || is_last ? bins.uppers[bin] : static_cast<L>(bins.lowers[bin + 1] - 1);
    }
    float* level = widths_.data();
    for (unsigned log = shape_.log;; --log) {
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

  const TreeShape& shape() const { return shape_; }

  // Estimated bits of latents with these counts, where the metadata of a bin takes meta_bits.
  float cost(const std::uint32_t* counts, float meta_bits) const {
    return tree_cost(shape_, counts, widths_.data(), meta_bits, sums_.data(), costs_.data());
  }

 private:
  TreeShape shape_ = kMaxTreeShape;
  // One element per node, and padding.
  std::span<float> widths_;
  std::span<float> costs_;
  std::span<std::uint32_t> sums_;
};

// A number of successive blocks.
struct CountedSegment {
  std::size_t n = 0;  // numbers
  LeafCounts counts{};
  float cost = 0;         // bits as a chunk of its own
  float joined_cost = 0;  // bits as one chunk with the next segment
};

struct SegmentCosts {
  std::span<const BinTree> trees;  // one for each delta encoding
  float meta_bits;                 // metadata of a bin
  float chunk_bits;                // of a chunk besides its bins
  // For each delta encoding, latents per counted one: the first latents of a sampled run have no
  // deltas.
  std::array<float, kSegmentDeltas> latents_per_delta{1, 1};

  float of_delta(std::size_t delta, const std::uint32_t* counts) const {
    return latents_per_delta[delta] * trees[delta].cost(counts, meta_bits);
  }
  float of(const LeafCounts& counts) const {
    float min_bits = of_delta(0, counts[0]);
    for (std::size_t i = 1; i < trees.size(); ++i) {
      min_bits = std::min(min_bits, of_delta(i, counts[i]));
    }
    return chunk_bits + min_bits;
  }
};

// Joins neighbours as long as one chunk is cheaper than two: first pairs, then pairs of pairs and
// so on, then always the two that save most. In place; returns the segments that remain.
std::span<CountedSegment> join_segments(std::span<CountedSegment> segments,
                                        const SegmentCosts& costs, Arena& arena);

}  // namespace numpact::internal
