// SPDX-License-Identifier: Apache-2.0
#ifndef NUMPACT_API_DESCRIBE_HPP
#define NUMPACT_API_DESCRIBE_HPP

#include "numpact/inspect.hpp"
#include "pco/meta/chunk_meta.hpp"

namespace numpact {

// Modes, deltas and bins of a chunk; sizes in the file are the caller's to fill in.
ChunkInfo describe(const ChunkMeta& meta);
// What that takes in a list of many, no less than it does.
std::uint64_t described_bytes(const ChunkMeta& meta);

}  // namespace numpact

#endif
