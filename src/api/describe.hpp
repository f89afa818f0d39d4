// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/internal.hpp"
#include "numpact/inspect.hpp"
#include "pco/meta/chunk_meta.hpp"

namespace numpact {

// Modes, deltas and bins of a chunk; the caller fills in the sizes in the file.
ChunkInfo describe(const ChunkMeta& meta);
// Upper bound of its memory in a list.
std::uint64_t described_bytes(const ChunkMeta& meta);

}  // namespace numpact
