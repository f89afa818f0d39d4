// SPDX-License-Identifier: Apache-2.0
// Some latents are taken from among others, and what is found for them is put in their places.
#ifndef NUMPACT_PCO_STATS_ELSEWHERE_HPP
#define NUMPACT_PCO_STATS_ELSEWHERE_HPP

#include <array>
#include <cstdint>
#include <span>

#include "number/latent.hpp"

namespace numpact {

// The place of what is none of some known values.
inline constexpr std::uint16_t kElsewhere = 0xffff;

// Latents that are looked at together.
inline constexpr std::size_t kPlacesN = 1024;
// Which of them were taken, a bit for each.
using TakenBits = std::array<std::uint32_t, kPlacesN / 32>;
// Bytes that may be written behind what was taken, and read behind what is set.
inline constexpr std::size_t kTakeSlack = 64;

// Takes those of up to kPlacesN latents whose place is kElsewhere. Returns how many. For latents of
// 32 and 64 bits; of less the values are counted, and all are known.
template <Latent L>
std::size_t take_elsewhere(std::span<const L> latents, const std::uint16_t* places, TakenBits& bits,
                           L* taken);
// The same for those that are others than the value.
template <Latent L>
std::size_t take_others(std::span<const L> latents, L value, TakenBits& bits, L* taken);
// Inverts those bits of the symbols of what was taken that are set in what was found for it.
void set_taken(const TakenBits& bits, const std::uint16_t* found, std::span<std::uint16_t> symbols);

}  // namespace numpact

#endif
