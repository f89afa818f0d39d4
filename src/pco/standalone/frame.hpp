// SPDX-License-Identifier: Apache-2.0
// What standalone files put around wrapped chunks (docs/format/pco.md, "Standalone files").
#ifndef NUMPACT_PCO_STANDALONE_FRAME_HPP
#define NUMPACT_PCO_STANDALONE_FRAME_HPP

#include <optional>
#include <span>

#include "base/arena.hpp"
#include "bits/bit_reader.hpp"
#include "bits/bit_writer.hpp"
#include "numpact/types.hpp"
#include "pco/version.hpp"

namespace numpact::standalone {

struct Header {
  unsigned standalone_version = wire::kStandaloneVersion;
  FormatVersion format;
  std::optional<NumberType> uniform_type;
  std::uint64_t n_hint = 0;
};

// Leaves the reader at the first chunk.
Status parse_header(BitReader& reader, Header& header);

// In the header's format version, under the latest standalone version that its readers know. At
// most kMaxHeaderBytes.
inline constexpr std::size_t kMaxHeaderBytes = 4 + 1 + 1 + 9 + 2;
void write_header(BitWriter& writer, const Header& header);

struct ChunkHead {
  bool is_end = false;  // the terminator, no chunk
  NumberType type = NumberType::kU8;
  std::size_t n = 0;
};

inline constexpr std::size_t kChunkHeadBytes = 4;

// `type`: what chunks must be, if known from the header or an earlier chunk.
Status parse_chunk_head(BitReader& reader, const std::optional<NumberType>& type, ChunkHead& head);
void write_chunk_head(BitWriter& writer, NumberType type, std::size_t n);
inline void write_terminator(BitWriter& writer) {
  writer.write(wire::kTerminator, wire::kNumberTypeBits);
}

}  // namespace numpact::standalone

#endif
