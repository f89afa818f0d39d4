// SPDX-License-Identifier: Apache-2.0
// How far back the same was seen.
#ifndef NUMPACT_PCO_CHOOSE_LOOKBACK_CANDIDATES_HPP
#define NUMPACT_PCO_CHOOSE_LOOKBACK_CANDIDATES_HPP

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

// Up to so many lengths of upper bits are tried for what is alike.
inline constexpr std::size_t kMostAlike = 2;

// The same, but where no latent is the same, for one that shares more upper bits than most, at up
// to alike_n lengths of them; of the latents the last unused_bits are 0.
template <Latent L>
void find_alike(std::span<const L> latents, const FlatBlocks& blocks, unsigned unused_bits,
                std::size_t alike_n, std::span<std::uint32_t> lookbacks, Arena& arena);

// The same for the upper bits of the latents.
template <Latent L>
void find_near(std::span<const L> latents, const FlatBlocks& blocks,
               std::span<std::uint32_t> lookbacks, Arena& arena);

// The same for how far the latents are above `lower`, the least of them, without the last bits.
template <Latent L>
void find_near(std::span<const L> latents, const FlatBlocks& blocks, L lower, unsigned shift,
               std::span<std::uint32_t> lookbacks, Arena& arena);

// The same for the string of latents that ends here.
template <Latent L>
void find_same_strings(std::span<const L> latents, const FlatBlocks& blocks,
                       std::span<std::uint32_t> lookbacks, Arena& arena);

}  // namespace numpact

#endif
