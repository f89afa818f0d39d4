// SPDX-License-Identifier: Apache-2.0
// Which of many neighbouring intervals latents fall into.
#ifndef NUMPACT_PCO_STATS_INTERVALS_HPP
#define NUMPACT_PCO_STATS_INTERVALS_HPP

#include <array>
#include <span>

#include "base/arena.hpp"
#include "number/latent.hpp"

namespace numpact {

// A search tree over the lower ends of all intervals but the first, less one: a latent lies in the
// interval whose number is how many of them are smaller than it. Nodes are 64 bytes of keys; each
// level is an array of nodes, the root first, and node j of one level has its kNodeKeys + 1
// children from j * (kNodeKeys + 1) on in the next.
template <Latent L>
struct IntervalTree {
  static constexpr std::size_t kNodeKeys = 64 / sizeof(L);
  static constexpr std::size_t kMaxLevels = 6;

  std::array<const L*, kMaxLevels> levels{};
  std::size_t depth = 0;
  // All keys in order and some that are smaller than no latent, for targets without vectors.
  std::span<const L> keys;

  // lower(i): of interval i, ascending, different; at least one interval, at most 2^16.
  template <class Lower>
  static IntervalTree make(std::size_t n, const Lower& lower, Arena& arena);
};

// indices[i] becomes the number of the interval of latents[i]. What lies below the first interval
// counts to it.
template <Latent L>
void find_intervals(const IntervalTree<L>& tree, std::span<const L> latents,
                    std::uint16_t* indices);

template <Latent L>
template <class Lower>
IntervalTree<L> IntervalTree<L>::make(std::size_t n, const Lower& lower, Arena& arena) {
  constexpr std::size_t kFan = kNodeKeys + 1;
  constexpr L kNever = static_cast<L>(~L{0});  // smaller than no latent
  IntervalTree tree;
  const std::span<L> keys = arena.make<L>(std::bit_ceil(n) + 1);
  for (std::size_t i = 1; i < n; ++i) keys[i - 1] = static_cast<L>(lower(i) - 1);
  for (std::size_t i = n - 1; i < keys.size(); ++i) keys[i] = kNever;
  tree.keys = keys;
  std::size_t stride = 1;  // of a level's keys in the order of all
  tree.depth = 1;
  for (std::size_t most = kNodeKeys; most < n - 1; most = most * kFan + kNodeKeys) {
    stride *= kFan;
    ++tree.depth;
  }
  for (std::size_t level = 0; level < tree.depth; ++level, stride /= kFan) {
    // Key k of a node of this level stands behind (k + 1) whole subtrees.
    const std::size_t covered = stride * kFan;  // keys in a node's subtree, and the one behind it
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

}  // namespace numpact

#endif
