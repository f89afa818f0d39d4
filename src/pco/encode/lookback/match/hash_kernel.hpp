// SPDX-License-Identifier: Apache-2.0
// Hashes of latents and of strings of them, and picking some by what they are.
#ifndef NUMPACT_PCO_ENCODE_LOOKBACK_MATCH_HASH_KERNEL_HPP
#define NUMPACT_PCO_ENCODE_LOOKBACK_MATCH_HASH_KERNEL_HPP

#include <cstddef>
#include <cstdint>

#include "number/latent.hpp"

namespace numpact {

inline constexpr std::size_t kHashBlockN = 1024;
// Latents before a block that a string may reach back to.
inline constexpr std::size_t kHashHistory = 16;
// Kernels may write that much more.
inline constexpr std::size_t kHashSlack = 64;

// A block's, behind those of the latents before it.
struct HashBlock {
  std::uint32_t hashes[kHashHistory + kHashBlockN + kHashSlack] = {};
};

// Sets the hashes of n latents.
template <Latent L>
void hash_latents(const L* latents, std::size_t n, HashBlock& block);

// strings: in the place of each latent's hash that of the 2^doublings latents up to here.
// doublings: 1 to 4.
void hash_strings(const HashBlock& block, std::size_t n, unsigned doublings, HashBlock& strings);

// Scrambled hashes, with positions in the block.
struct PickedHashes {
  std::uint32_t hashes[kHashBlockN + kHashSlack];
  std::uint32_t positions[kHashBlockN + kHashSlack];
  std::size_t n = 0;
};
// Picks those of the n of which the upper pick_log bits are 0 once scrambled.
void pick_hashes(const HashBlock& block, std::size_t n, unsigned pick_log, PickedHashes& picked);

}  // namespace numpact

#endif
