// SPDX-License-Identifier: Apache-2.0
// Rows to the record of a chunk: first a plan, which says all that the header and the places of
// records need; then its bytes.
#ifndef NUMPACT_CVC_FILE_CHUNK_ENCODER_HPP
#define NUMPACT_CVC_FILE_CHUNK_ENCODER_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cvc/compression/codecs.hpp"
#include "cvc/file/output.hpp"

namespace numpact::cvc {

struct ChunkJob {
  std::uint64_t rows = 0;
  std::vector<Source> sources;  // by column
  std::vector<Slice> slices;    // the compression is given, the rest planned
  std::vector<Plan> plans;
  bool is_planned = false;
  std::uint64_t payload_bytes = 0;
  std::uint64_t overflows = 0;
  std::uint64_t lost = 0;
  Status status;
  std::size_t column = 0;          // that the status is about
  std::optional<Refused> refused;  // likewise
};

// Sets plans, slices and the payload's size.
Status plan_chunk(const EncodeRules& rules, ChunkJob& job);

// Bytes of the buffer that encode_chunk wants.
inline constexpr std::size_t kEncodeBufferBytes = std::size_t{1} << 18;

// Writes the record to `offset`; `head`: 8 bytes with a checksum, 4 without.
Status encode_chunk(std::size_t head, std::uint64_t offset, std::span<std::byte> buffer,
                    Output& output, ChunkJob& job);
// The same of a payload that is there.
Status write_record(std::size_t head, std::uint64_t offset, std::span<const std::byte> payload,
                    Output& output);

}  // namespace numpact::cvc

#endif
