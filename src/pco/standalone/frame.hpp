// SPDX-License-Identifier: Apache-2.0
// Headers, chunk heads and terminators of standalone files (docs/format/pco.md).
#pragma once

#include <optional>
#include <span>

#include "base/arena.hpp"
#include "bits/bit_reader.hpp"
#include "bits/bit_writer.hpp"
#include "numpact/types.hpp"
#include "pco/version.hpp"

namespace numpact::internal::standalone {

struct Header {
  unsigned standalone_version = wire::kStandaloneVersion;
  FormatVersion format;
  std::optional<NumberType> uniform_type;
  std::uint64_t n_hint = 0;
};

// Leaves the reader at the first chunk.
Status parse_header(BitReader& reader, Header& header);

// The longest header: magic, standalone version, number type, count hint with its width, and two
// bytes of format version.
inline constexpr std::size_t kMaxHeaderBytes = 4 + 1 + 1 + 9 + 2;
// Writes the header for its format version, with the latest standalone version that readers of this
// format version know. Writes at most kMaxHeaderBytes.
void write_header(BitWriter& writer, const Header& header);

struct ChunkHead {
  bool is_end = false;  // the terminator, no chunk
  NumberType type = NumberType::kU8;
  std::size_t n = 0;
};

inline constexpr std::size_t kChunkHeadBytes = 4;

// `type`: the required number type, if known from the header or an earlier chunk.
Status parse_chunk_head(BitReader& reader, const std::optional<NumberType>& type, ChunkHead& head);
void write_chunk_head(BitWriter& writer, NumberType type, std::size_t n);
inline void write_terminator(BitWriter& writer) {
  writer.write(wire::kTerminator, wire::kNumberTypeBits);
}

}  // namespace numpact::internal::standalone
