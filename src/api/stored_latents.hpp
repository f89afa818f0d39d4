// SPDX-License-Identifier: Apache-2.0
// Decodes the latents that a page stores, before any delta is undone, for inspection.
#pragma once

#include <array>
#include <span>

#include "base/arena.hpp"
#include "base/internal.hpp"
#include "number/latent_array.hpp"
#include "pco/meta/chunk_meta.hpp"

namespace numpact {

// One array per variable of the chunk, in `arena`. `page` starts with a page of n numbers that was
// walked without an error; nothing after its end is read.
std::array<LatentArray, kVariables> stored_latents(std::span<const std::byte> page,
                                                   const ChunkMeta& meta, std::size_t n,
                                                   Arena& arena);

}  // namespace numpact
