// SPDX-License-Identifier: Apache-2.0
// How far back the same was seen.
#ifndef NUMPACT_PCO_ENCODE_LOOKBACK_MATCH_CANDIDATES_HPP
#define NUMPACT_PCO_ENCODE_LOOKBACK_MATCH_CANDIDATES_HPP

#include <span>

#include "base/arena.hpp"
#include "number/latent.hpp"
#include "pco/stats/flat_blocks.hpp"

namespace numpact {

// For each latent: how far back the last one of the same hash is, which mostly is the same one; to
// the first latent if there is none; 0 for that itself.
template <Latent L>
void find_same(std::span<const L> latents, const FlatBlocks& blocks,
               std::span<std::uint32_t> lookbacks, Arena& arena);

// The same for the upper bits of the latents.
template <Latent L>
void find_near(std::span<const L> latents, const FlatBlocks& blocks,
               std::span<std::uint32_t> lookbacks, Arena& arena);

// The same for how far the latents are above `lower`, the least of them, without the last bits.
template <Latent L>
void find_near(std::span<const L> latents, const FlatBlocks& blocks, L lower, unsigned shift,
               std::span<std::uint32_t> lookbacks, Arena& arena);

// Up to so many lengths of upper bits are tried for what is alike.
inline constexpr std::size_t kMostAlike = 2;

// By latent of a page, how far back the last ones of three kinds are.
struct LookbackCandidates {
  std::span<std::uint32_t> same;     // or, where none is the same, one that is alike
  std::span<std::uint32_t> strings;  // the same string of latents ends there
  std::span<std::uint32_t> near;     // of find_near()
};

// As find_same() for each of the kinds. What is alike shares more upper bits than most, at up to
// alike_n lengths of them; of the latents the last unused_bits are 0.
template <Latent L>
void find_candidates(std::span<const L> latents, const FlatBlocks& blocks, unsigned unused_bits,
                     std::size_t alike_n, const LookbackCandidates& found, Arena& arena);

}  // namespace numpact

#endif
