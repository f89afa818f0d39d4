// SPDX-License-Identifier: Apache-2.0
// Bins of latents that are looked up by value.
#ifndef NUMPACT_PCO_LATENT_SYMBOLS_KERNEL_HPP
#define NUMPACT_PCO_LATENT_SYMBOLS_KERNEL_HPP

#include <array>
#include <cstdint>
#include <span>

namespace numpact {

// The bin of every latent of 8 bits, of which there are no more than that.
using ByteSymbols = std::array<std::uint8_t, 256>;

void look_up_bytes(const ByteSymbols& table, std::span<const std::uint8_t> latents,
                   std::uint16_t* symbols);

}  // namespace numpact

#endif
