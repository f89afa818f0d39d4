// SPDX-License-Identifier: Apache-2.0
// The cost of a histogram whose bins may be joined along a binary tree.
#pragma once

#include <cstddef>
#include <cstdint>

namespace numpact::internal {

// A complete binary tree over 2^log leaves, stored level by level, the leaves first. Within a level
// of `size` nodes, i and i + size / 2 are siblings, so that the parents of a level are the sum of
// its two halves, which vectors add without shuffles. For four leaves a, b, c, d from left to
// right:
//
//   index   0   1   2   3   4    5    6
//   node    a   c   b   d   ab   cd   abcd
struct TreeShape {
  // Arrays over the nodes have this many more elements, so that vectors may be read past the end.
  static constexpr std::size_t kPadding = 16;

  unsigned log = 0;

  std::size_t leaves() const { return std::size_t{1} << log; }
  std::size_t nodes() const { return 2 * leaves() - 1; }
  std::size_t capacity() const { return nodes() + kPadding; }
  // The position of the leaf that is `index`-th from the left: the bits of the index in reverse.
  std::size_t leaf_at(std::size_t index) const {
    std::size_t at = 0;
    for (unsigned bit = 0; bit < log; ++bit) at |= (index >> bit & 1) << (log - 1 - bit);
    return at;
  }
};

// The fewest bits of latents that have `counts` in the leaves, where each node with latents either
// is one bin, with the offset width widths[node] and meta_bits of metadata, or leaves its latents
// to its children's bins. widths, sums and costs have capacity() elements. sums and costs are
// scratch; sums must be 0 after the nodes.
float tree_cost(const TreeShape& shape, const std::uint32_t* counts, const float* widths,
                float meta_bits, std::uint32_t* sums, float* costs);

}  // namespace numpact::internal
