// SPDX-License-Identifier: Apache-2.0
// Finds the interval, of many adjacent ones, that each latent lies in.
#pragma once

#include <array>
#include <span>

#include "base/arena.hpp"
#include "number/latent.hpp"

namespace numpact::internal {

// A search tree over the keys lower(i) - 1 of the intervals i >= 1. A latent lies in the interval
// whose index is the count of keys smaller than the latent. A node has 64 bytes of keys, one cache
// line. Each level is an array of nodes, the root first; node j has the children j * (kNodeKeys +
// 1) to j * (kNodeKeys + 1) + kNodeKeys on the next level.
//
// Example with two keys a node: lower ends 0 10 20 30 40 50 have the keys 9 19 29 39 49.
//
//   level 0:           [29  max]
//   level 1:    [9 19]   [39 49]
//
// Latent 35: one key of the root is smaller, so child 1; none of its keys is smaller. The index is
// 1 * 3 + 0 = 3, which is the interval [30, 39].
template <Latent L>
struct IntervalTree {
  static constexpr std::size_t kNodeKeys = 64 / sizeof(L);
  static constexpr std::size_t kMaxLevels = 6;

  std::array<const L*, kMaxLevels> levels{};
  std::size_t depth = 0;
  // All keys in ascending order, padded with the largest latent; for targets without vectors.
  std::span<const L> keys;

  // lower(i): the lower end of interval i, strictly ascending. n: 1 to 2^16 intervals.
  template <class Lower>
  static IntervalTree make(std::size_t n, const Lower& lower, Arena& arena);
};

// Sets indices[i] to the index of the interval of latents[i]. Latents below the first interval get
// index 0.
template <Latent L>
void find_intervals(const IntervalTree<L>& tree, std::span<const L> latents,
                    std::uint16_t* indices);

template <Latent L>
template <class Lower>
IntervalTree<L> IntervalTree<L>::make(std::size_t n, const Lower& lower, Arena& arena) {
  constexpr std::size_t kChildren = kNodeKeys + 1;
  constexpr L kNever = static_cast<L>(~L{0});  // no latent is larger
  IntervalTree tree;
  const std::span<L> keys = arena.make<L>(std::bit_ceil(n) + 1);
  for (std::size_t i = 1; i < n; ++i) keys[i - 1] = static_cast<L>(lower(i) - 1);
  for (std::size_t i = n - 1; i < keys.size(); ++i) keys[i] = kNever;
  tree.keys = keys;
  std::size_t stride = 1;  // distance, in all keys, between neighbouring keys of a level
  tree.depth = 1;
  for (std::size_t max_keys = kNodeKeys; max_keys < n - 1;
       max_keys = max_keys * kChildren + kNodeKeys) {
    stride *= kChildren;
    ++tree.depth;
  }
  for (std::size_t level = 0; level < tree.depth; ++level, stride /= kChildren) {
    // k + 1 whole subtrees precede key k of a node.
    const std::size_t covered =
        stride * kChildren;  // keys of a node's subtree, plus the key behind it
    const std::size_t nodes = (n - 1) / covered + 1;
    const std::span<L> nodes_keys = arena.make<L>(nodes * kNodeKeys);
    for (std::size_t node = 0; node < nodes; ++node) {
      for (std::size_t key = 0; key < kNodeKeys; ++key) {
        const std::size_t at = node * covered + (key + 1) * stride - 1;
        nodes_keys[node * kNodeKeys + key] = at < n - 1 ? keys[at] : kNever;
      }
    }
    tree.levels[level] = nodes_keys.data();
  }
  return tree;
}

}  // namespace numpact::internal
