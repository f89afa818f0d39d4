// SPDX-License-Identifier: Apache-2.0
// Extracts selected latents of a block, and stores the symbols that are found for them back at
// their positions.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "number/latent.hpp"

namespace numpact::internal {

// The index of a latent that is none of the known values.
inline constexpr std::uint16_t kUnmatched = 0xffff;

// Latents that are extracted per call. A block and its symbols fit the L1 cache.
inline constexpr std::size_t kTakeBlockN = 1024;
// The latents of a block that were taken, one bit per latent.
using TakenBits = std::array<std::uint32_t, kTakeBlockN / 32>;
// One vector of bytes may be written behind the taken latents, and read behind set symbols.
inline constexpr std::size_t kTakeSlackBytes = 64;

// Copies the latents whose index is kUnmatched, of at most kTakeBlockN latents, to `taken`, and
// marks them in `bits`. Returns their count. Only for latents of 32 and 64 bits: narrower ones are
// counted by value, so all of their values are known.
template <Latent L>
std::size_t take_unmatched(std::span<const L> latents, const std::uint16_t* indices,
                           TakenBits& bits, L* taken);
// The same for the latents that differ from `value`.
template <Latent L>
std::size_t take_unequal(std::span<const L> latents, L value, TakenBits& bits, L* taken);
// For each taken latent: symbol ^= its entry of `found`, which is in the order of `taken`. So
// symbols that are 0 become the found ones.
//
//   bits     0  1  0  0  1
//   found       7        9
//   symbols  3  0  4  4  0   become   3  7  4  4  9
void set_taken_symbols(const TakenBits& bits, const std::uint16_t* found,
                       std::span<std::uint16_t> symbols);

}  // namespace numpact::internal
