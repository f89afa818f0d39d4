// SPDX-License-Identifier: Apache-2.0
// Encodes numbers as a chunk: chooses mode and delta encoding, splits, makes bins, and codes.
#pragma once

#include <span>

#include "numpact/config.hpp"
#include "pco/encode/choice_log.hpp"
#include "pco/page/page_encoder.hpp"

namespace numpact::internal {

class ChoiceSession;

// Converts numbers to ordered latents, allocated in `arena`.
LatentArray ordered_latents(const NumberView& numbers, Arena& arena);

// Encodes numbers with what a session of their own chooses. page_sizes: each at least 1, adding up
// to numbers.count, which is at most kMaxChunkN. The config must have passed check_specs. The chunk
// takes at most the fallback's metadata and pages. Everything is allocated in `arena`. listener:
// may be null.
EncodedChunk encode_chunk(const NumberView& numbers, std::span<const std::size_t> page_sizes,
                          const EncodeConfig& config, Arena& arena,
                          ChoiceListener* listener = nullptr);

// Encodes numbers with the choices of their session: the first one, the others as far as they may
// be smaller, and the fallback if all are larger than that. Destroys the session's ordered latents.
// Allocates in its arena.
EncodedChunk encode_chosen(const NumberView& numbers, const ChoiceSession& session,
                           std::span<const std::size_t> page_sizes);

// Sizes of the fallback, a chunk in Classic mode with one bin over the whole range of the type: its
// metadata, and a page of n numbers.
std::size_t fallback_meta_bytes(NumberType type);
std::size_t fallback_page_bytes(NumberType type, std::size_t n);

}  // namespace numpact::internal
