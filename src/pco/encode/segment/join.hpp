// SPDX-License-Identifier: Apache-2.0
// Blocks of numbers as histograms over shared bins, and the joining of neighbours.
#ifndef NUMPACT_PCO_ENCODE_SEGMENT_JOIN_HPP
#define NUMPACT_PCO_ENCODE_SEGMENT_JOIN_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "pco/encode/segment/histogram_kernel.hpp"
#include "pco/stats/histogram.hpp"

namespace numpact {

// Of the largest tree.
inline constexpr unsigned kCutLeavesLog = 8;
inline constexpr TreeShape kCutShape{kCutLeavesLog};
inline constexpr std::size_t kCutLeaves = std::size_t{1} << kCutLeavesLog;

// Deltas that a segment may have: the one chosen for all, and one other.
inline constexpr std::size_t kCutDeltas = 2;
using CutCounts = std::array<std::uint32_t*, kCutDeltas>;  // of the tree's leaves, by delta

// Shared bins as the leaves of a binary tree: a segment takes any of the tree's nodes for its bins.
class BinTree {
 public:
  BinTree() = default;
  explicit BinTree(Arena& arena)
      : widths_(arena.make<float>(kCutShape.room())),
        costs_(arena.make<float>(kCutShape.room())),
        sums_(arena.make<std::uint32_t>(kCutShape.room())) {
    std::fill(widths_.begin(), widths_.end(), 0.0f);
    std::fill(sums_.begin(), sums_.end(), 0);
  }

  // Once, so that what costs sum up behind the nodes stays zero. bins: at most kCutLeaves, with as
  // many leaves as they need.
  template <Latent L>
  void set_leaves(const Histogram<L>& bins) {
    shape_.log = static_cast<unsigned>(std::bit_width(bins.size() - 1));
    std::array<L, kCutLeaves> lowers;
    std::array<L, kCutLeaves> uppers;
    for (std::size_t i = 0; i < shape_.leaves(); ++i) {
      const std::size_t bin = std::min(i, bins.size() - 1);
      const bool is_value = bins.lowers[bin] == bins.uppers[bin];
      const bool is_last = bin + 1 == bins.size();
      lowers[i] = bins.lowers[bin];
      // What lies between two bins counts for the lower one, as find_symbols sees it.
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

  // Bits of latents so distributed, where a bin in the metadata takes meta_bits.
  float cost(const std::uint32_t* counts, float meta_bits) const {
    return tree_cost(shape_, counts, widths_.data(), meta_bits, sums_.data(), costs_.data());
  }

 private:
  TreeShape shape_ = kCutShape;
  // Of all nodes.
  std::span<float> widths_;
  std::span<float> costs_;
  std::span<std::uint32_t> sums_;
};

// Blocks in a row: their numbers, the cost of them as one chunk, and of them with the next segment.
struct CutSegment {
  std::size_t n = 0;
  CutCounts counts{};
  float cost = 0;
  float joined_cost = 0;
};

struct CutCosts {
  std::span<const BinTree> trees;  // by delta
  float meta_bits;                 // of a bin
  float chunk_bits;                // of a chunk beside its bins
  // Latents for each that is counted, by delta: the first ones of runs have no differences.
  std::array<float, kCutDeltas> shares{1, 1};

  float of_delta(std::size_t delta, const std::uint32_t* counts) const {
    return shares[delta] * trees[delta].cost(counts, meta_bits);
  }
  float of(const CutCounts& counts) const {
    float least = of_delta(0, counts[0]);
    for (std::size_t i = 1; i < trees.size(); ++i) {
      least = std::min(least, of_delta(i, counts[i]));
    }
    return chunk_bits + least;
  }
};

// Joins neighbours as long as one chunk is cheaper than two: first pairs of pairs of blocks, then
// always the two that save most. Returns the segments that are left, in place.
std::span<CutSegment> join_segments(std::span<CutSegment> segments, const CutCosts& costs,
                                    Arena& arena);

}  // namespace numpact

#endif
