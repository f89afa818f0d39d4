// SPDX-License-Identifier: Apache-2.0
// Encoding of rows as the record of a chunk. A first pass plans everything that the header and the
// offsets of records depend on; a second pass writes the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/internal.hpp"
#include "cvc/compression/codecs.hpp"
#include "cvc/file/output.hpp"

namespace numpact::cvc::internal {

// A chunk that is being encoded. Inputs: rows, sources, compressions of slices; the rest is set by
// plan_chunk and encode_chunk.
struct ChunkJob {
  std::uint64_t rows = 0;
  std::vector<Source> sources;  // one for each column
  std::vector<Slice> slices;    // one for each column; plan_chunk sets all but the compression
  std::vector<Plan> plans;
  bool is_planned = false;
  std::uint64_t payload_bytes = 0;
  std::uint64_t overflows = 0;
  std::uint64_t underflows = 0;
  std::uint64_t lost = 0;
  Status status;
  std::size_t column = 0;          // the column that an error is about
  std::optional<Refused> refused;  // the value that an error is about
};

// Sets plans, slices and the size of the payload. Does nothing if is_planned.
Status plan_chunk(const EncodeRules& rules, ChunkJob& job);

// Size of the buffer for encode_chunk. It is small enough to stay in the L2 cache between encoding
// and checksum, and large enough that writes of the output are few.
inline constexpr std::size_t kEncodeBufferBytes = std::size_t{1} << 18;

// Writes the record to `offset`. `head`: size of the record's head, 8 bytes with a checksum, 4
// without.
Status encode_chunk(std::size_t head, std::uint64_t offset, std::span<std::byte> buffer,
                    Output& output, ChunkJob& job);
// Writes the record of a payload that is already encoded.
Status write_record(std::size_t head, std::uint64_t offset, std::span<const std::byte> payload,
                    Output& output);

}  // namespace numpact::cvc::internal
