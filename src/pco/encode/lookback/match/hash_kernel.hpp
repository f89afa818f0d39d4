// SPDX-License-Identifier: Apache-2.0
// Hashes latents and strings of latents, and picks some of them by their hash.
#pragma once

#include <cstddef>
#include <cstdint>

#include "number/latent.hpp"

namespace numpact::internal {

// Multiplier for 64-bit hashes: 2^64 divided by the golden ratio. The upper bits of the product are
// the hash.
inline constexpr std::uint64_t kLookbackHashFactor = 0x9e3779b97f4a7c15u;

// Latents that are hashed at a time: the buffers stay in the L1 cache.
inline constexpr std::size_t kHashBlockN = 1024;
// Latents before a block that a string may begin in: the longest string has this length.
inline constexpr std::size_t kHashHistory = 16;
// Vector kernels may write this many words past the end.
inline constexpr std::size_t kHashSlack = 64;

// The hashes of the kHashHistory latents before a block, then those of the block.
struct HashBlock {
  std::uint32_t hashes[kHashHistory + kHashBlockN + kHashSlack] = {};
};

// Sets the hashes of the block's n latents.
template <Latent L>
void hash_latents(const L* latents, std::size_t n, HashBlock& block);

// Sets strings.hashes[i] to the hash of the 2^doublings latents that end at i. doublings: 1 to 4.
// Only the block's n hashes are meant to be read.
void hash_strings(const HashBlock& block, std::size_t n, unsigned doublings, HashBlock& strings);

// The scrambled hashes that were picked, and their positions in the block.
struct PickedHashes {
  std::uint32_t hashes[kHashBlockN + kHashSlack];
  std::uint32_t positions[kHashBlockN + kHashSlack];
  std::size_t n = 0;
};
// Scrambles the block's n hashes and picks those whose upper pick_log bits are then 0: about one in
// 2^pick_log, and equal latents or strings all or none.
void pick_hashes(const HashBlock& block, std::size_t n, unsigned pick_log, PickedHashes& picked);

}  // namespace numpact::internal
