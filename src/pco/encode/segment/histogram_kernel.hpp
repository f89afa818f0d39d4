// SPDX-License-Identifier: Apache-2.0
// The cost of a histogram whose bins may be joined along a binary tree.
#ifndef NUMPACT_PCO_ENCODE_SEGMENT_HISTOGRAM_KERNEL_HPP
#define NUMPACT_PCO_ENCODE_SEGMENT_HISTOGRAM_KERNEL_HPP

#include <cstddef>
#include <cstdint>

namespace numpact {

// A complete binary tree over 2^log leaves. Nodes lie level by level, the leaves first. Within a
// level of `size` nodes, i and i + size / 2 are siblings, so that all levels are plain vectors.
struct TreeShape {
  // Arrays for all nodes have room for so many more.
  static constexpr std::size_t kPadding = 16;

  unsigned log = 0;

  std::size_t leaves() const { return std::size_t{1} << log; }
  std::size_t nodes() const { return 2 * leaves() - 1; }
  std::size_t room() const { return nodes() + kPadding; }
  // Where the leaf lies that is `index`-th from the left: its bits in reverse.
  std::size_t leaf_at(std::size_t index) const {
    std::size_t at = 0;
    for (unsigned bit = 0; bit < log; ++bit) at |= (index >> bit & 1) << (log - 1 - bit);
    return at;
  }
};

// Bits of latents that have `counts` in the leaves, where each node with latents either is one bin,
// of the offset width `widths` and meta_bits in the metadata, or leaves that to its children,
// whichever is cheaper. widths, sums and costs have room() for the nodes;
// the last two are scratch, sums zero behind the nodes.
float tree_cost(const TreeShape& shape, const std::uint32_t* counts, const float* widths,
                float meta_bits, std::uint32_t* sums, float* costs);

}  // namespace numpact

#endif
