// SPDX-License-Identifier: Apache-2.0
// The latents that a page stores, before any delta is undone: decoded plainly, to be looked at.
#ifndef NUMPACT_API_STORED_LATENTS_HPP
#define NUMPACT_API_STORED_LATENTS_HPP

#include <array>
#include <span>

#include "base/arena.hpp"
#include "number/latent_array.hpp"
#include "pco/meta/chunk_meta.hpp"

namespace numpact {

// Of each variable that the chunk has, in `arena`. `page` begins with the page, which holds n
// numbers and must have been walked without an error; nothing behind its end is read.
std::array<LatentArray, kVariables> stored_latents(std::span<const std::byte> page,
                                                   const ChunkMeta& meta, std::size_t n,
                                                   Arena& arena);

}  // namespace numpact

#endif
