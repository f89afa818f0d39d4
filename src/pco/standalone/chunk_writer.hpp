// SPDX-License-Identifier: Apache-2.0
// Chunks of standalone files.
#ifndef NUMPACT_PCO_STANDALONE_CHUNK_WRITER_HPP
#define NUMPACT_PCO_STANDALONE_CHUNK_WRITER_HPP

#include "bits/bit_writer.hpp"
#include "numpact/config.hpp"
#include "pco/choose/choice_log.hpp"
#include "pco/standalone/frame.hpp"

namespace numpact::standalone {

// Encodes 1 to kMaxChunkN numbers as one chunk. The config must have passed check_specs; its paging
// is not looked at. Leaves the arena as it was. log: told what was weighed, if not null.
void write_chunk(const NumberView& numbers, const EncodeConfig& config, Arena& arena,
                 BitWriter& writer, ChoiceLog* log = nullptr);

// A chunk of n numbers takes at most this and n times their size.
std::size_t chunk_overhead_bound(NumberType type);

}  // namespace numpact::standalone

#endif
