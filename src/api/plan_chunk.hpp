// SPDX-License-Identifier: Apache-2.0
// A chunk's metadata as the flat tables of a DevicePlan.
#ifndef NUMPACT_API_PLAN_CHUNK_HPP
#define NUMPACT_API_PLAN_CHUNK_HPP

#include "base/arena.hpp"
#include "numpact/device_plan.hpp"
#include "pco/meta/chunk_meta.hpp"

namespace numpact {

// Bytes that plan_chunk adds to a plan's tables.
std::uint64_t planned_bytes(const ChunkMeta& meta);

// Appends the chunk; `arena` is for scratch.
void plan_chunk(const ChunkMeta& meta, Arena& arena, DevicePlan& plan);

// That pages of n numbers can be of the chunk. `offset`: for the error.
Status check_page_bins(const ChunkMeta& meta, std::size_t n, std::uint64_t offset);

// Memory that undoing the deltas of such a page takes, and that is set apart for each task.
std::uint64_t planned_scratch_bytes(const ChunkMeta& meta, std::size_t n);

// Bits of the head of a page, or of a restart point.
std::uint64_t planned_head_bits(const PlannedChunk& chunk);
// Where the next head will stand, in bits.
std::uint64_t next_head(const DevicePlan& plan);
// `head`: whole bytes, of which so many bits are used; the others must be 0.
Status add_head(std::span<const std::byte> head, std::uint64_t bits, DevicePlan& plan);

}  // namespace numpact

#endif
