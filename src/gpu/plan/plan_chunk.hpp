// SPDX-License-Identifier: Apache-2.0
// Converts a chunk's metadata to the flat tables of a DevicePlan.
#pragma once

#include "base/arena.hpp"
#include "base/internal.hpp"
#include "gpu/plan/device_plan.hpp"
#include "pco/meta/chunk_meta.hpp"

namespace numpact {

// Bytes that plan_chunk adds to a plan's tables.
std::uint64_t planned_bytes(const ChunkMeta& meta);

// Appends the chunk; `arena` provides scratch memory.
void plan_chunk(const ChunkMeta& meta, Arena& arena, DevicePlan& plan);

// Checks that pages of n numbers are valid for the chunk. `offset`: position of an error.
Status check_page_bins(const ChunkMeta& meta, std::size_t n, std::uint64_t offset);

// Scratch memory that one task needs to undo the deltas of such a page.
std::uint64_t planned_scratch_bytes(const ChunkMeta& meta, std::size_t n);

// Bits of the head of a page or restart point.
std::uint64_t planned_head_bits(const PlannedChunk& chunk);
// The position of the next head, in bits.
std::uint64_t next_head(const DevicePlan& plan);
// Appends `head`, of which `bits` bits are used; the rest of its last byte must be 0.
Status add_head(std::span<const std::byte> head, std::uint64_t bits, DevicePlan& plan);

}  // namespace numpact
