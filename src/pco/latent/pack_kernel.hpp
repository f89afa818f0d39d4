// SPDX-License-Identifier: Apache-2.0
// The inner loops of encoding a latent variable: packing of codes and offsets.
#pragma once

#include "base/arena.hpp"
#include "pco/latent/latent_encoder.hpp"

namespace numpact::internal {

// Packs n words of codes of a batch. Writes up to 8 bytes behind the last bit.
void pack_codes(const AnsCodes* codes, std::size_t n, BitCursor& cursor);

// Packs the offsets of a batch. Writes up to 8 bytes behind the last bit.
template <Latent L>
void pack_offsets(const OffsetTable& table, const L* latents, const std::uint16_t* symbols,
                  std::size_t n, BitCursor& cursor);

}  // namespace numpact::internal
