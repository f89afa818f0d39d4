// SPDX-License-Identifier: Apache-2.0
// From numbers to an encoded chunk.
#ifndef NUMPACT_PCO_ENCODE_CHUNK_ENCODER_HPP
#define NUMPACT_PCO_ENCODE_CHUNK_ENCODER_HPP

#include <span>

#include "numpact/config.hpp"
#include "pco/encode/choice.hpp"
#include "pco/encode/choice_log.hpp"
#include "pco/page/page_encoder.hpp"

namespace numpact {

// The numbers as ordered latents, in `arena`.
LatentArray ordered_latents(const NumberView& numbers, Arena& arena);

// Chooses, splits, bins and codes. page_sizes: each at least 1, adding up to numbers.count, which
// is at most kMaxChunkN. The config must have passed check_specs. The chunk takes at most
// fallback_bytes(). Everything lives in `arena`.
EncodedChunk encode_chunk(const NumberView& numbers, std::span<const std::size_t> page_sizes,
                          const EncodeConfig& config, Arena& arena,
                          const ChooseHints* hints = nullptr, ChoiceLog* log = nullptr);

// The same where it is chosen already, for `ordered`, the latents of the numbers, which are used
// up.
EncodedChunk encode_chosen(const NumberView& numbers, const LatentArray& ordered,
                           const Choices& choices, std::span<const std::size_t> page_sizes,
                           const EncodeConfig& config, Arena& arena, ChoiceLog* log = nullptr);

// What a chunk of Classic mode with one bin over the whole range takes: metadata and page of n
// numbers.
std::size_t fallback_meta_bytes(NumberType type);
std::size_t fallback_page_bytes(NumberType type, std::size_t n);

}  // namespace numpact

#endif
