// SPDX-License-Identifier: Apache-2.0
// Bins of latents that are looked up by value, and of those that are not among known values.
#ifndef NUMPACT_PCO_LATENT_SYMBOLS_KERNEL_HPP
#define NUMPACT_PCO_LATENT_SYMBOLS_KERNEL_HPP

#include <array>
#include <cstdint>
#include <span>

#include "number/latent.hpp"

namespace numpact {

// The bin of every latent of 8 bits, of which there are no more than that.
using ByteSymbols = std::array<std::uint8_t, 256>;

void look_up_bytes(const ByteSymbols& table, std::span<const std::uint8_t> latents,
                   std::uint16_t* symbols);

// Latents that are looked at together.
inline constexpr std::size_t kPlacesN = 1024;
// Which of them are elsewhere, a bit for each.
using ElsewhereBits = std::array<std::uint32_t, kPlacesN / 32>;
// Bytes that may be written behind what was taken, and read behind what is set.
inline constexpr std::size_t kTakeSlack = 64;

// Takes those of up to kPlacesN latents whose place is kElsewhere. Returns how many. For latents of
// 32 and 64 bits; of less the values are counted, and all are known.
template <Latent L>
std::size_t take_elsewhere(std::span<const L> latents, const std::uint16_t* places,
                           ElsewhereBits& bits, L* taken);
// Sets their symbols, which must be zero, to those found for what was taken.
void set_elsewhere(const ElsewhereBits& bits, const std::uint16_t* found,
                   std::span<std::uint16_t> symbols);

}  // namespace numpact

#endif
