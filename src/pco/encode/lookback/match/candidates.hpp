// SPDX-License-Identifier: Apache-2.0
// For each latent of a page, the distances to the latest equal and the latest similar latents.
#pragma once

#include <span>

#include "base/arena.hpp"
#include "number/latent.hpp"
#include "pco/stats/constant_blocks.hpp"

namespace numpact::internal {

// For each latent the distance to the latest one with the same hash, which mostly is an equal one;
// to the first latent if there is none; 0 for the first latent itself.
template <Latent L>
void find_equal(std::span<const L> latents, const ConstantBlocks& blocks,
                std::span<std::uint32_t> lookbacks, Arena& arena);

// The same for latents that share their upper bits.
template <Latent L>
void find_near(std::span<const L> latents, const ConstantBlocks& blocks,
               std::span<std::uint32_t> lookbacks, Arena& arena);

// The same for latents that are equal after subtracting `lower`, the minimum, and shifting right.
template <Latent L>
void find_near(std::span<const L> latents, const ConstantBlocks& blocks, L lower, unsigned shift,
               std::span<std::uint32_t> lookbacks, Arena& arena);

// Similar latents share a prefix. At most this many lengths of prefixes are tried, each with a
// table of its own; more would find more similar latents but take more cache.
inline constexpr std::size_t kMaxSimilarPrefixes = 2;

// For each latent of a page, the distances to the latest ones of three kinds.
struct LookbackCandidates {
  std::span<std::uint32_t> equal;    // an equal latent, or a similar one if there is none
  std::span<std::uint32_t> strings;  // the end of the same string of latents
  std::span<std::uint32_t> near;     // as of find_near()
};

// As find_equal(), for all three kinds in one pass. Similar latents share up to prefix_n longer
// prefixes than near ones do, the longest first. The lowest unused_bits of all latents are 0.
template <Latent L>
void find_candidates(std::span<const L> latents, const ConstantBlocks& blocks, unsigned unused_bits,
                     std::size_t prefix_n, const LookbackCandidates& found, Arena& arena);

}  // namespace numpact::internal
