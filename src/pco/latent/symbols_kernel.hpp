// SPDX-License-Identifier: Apache-2.0
// Symbols of latents of 8 bits, by table lookup.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace numpact::internal {

// The symbol of each value of 8 bits. Symbols fit into bytes, since there are at most 256 bins.
using ByteSymbols = std::array<std::uint8_t, 256>;

// Sets symbols[i] to table[latents[i]].
void look_up_bytes(const ByteSymbols& table, std::span<const std::uint8_t> latents,
                   std::uint16_t* symbols);

}  // namespace numpact::internal
