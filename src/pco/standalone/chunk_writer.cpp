// SPDX-License-Identifier: Apache-2.0
#include "pco/standalone/chunk_writer.hpp"

#include "pco/wrapped/chunk_encoder.hpp"

namespace numpact::standalone {

void write_chunk(const NumberView& numbers, const EncodeConfig& config, Arena& arena,
                 BitWriter& writer, ChoiceLog* log) {
  const ArenaScope scratch(arena);
  const std::size_t n = numbers.count;
  const EncodedChunk chunk = encode_chunk(numbers, {&n, 1}, config, arena, log);
  write_chunk_head(writer, numbers.type, n);
  write_chunk_meta(writer, chunk.meta);
  write_page(chunk, chunk.pages[0], writer);
}

std::size_t chunk_overhead_bound(NumberType type) {
  return kChunkHeadBytes + fallback_meta_bytes(type);
}

}  // namespace numpact::standalone
