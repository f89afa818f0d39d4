// SPDX-License-Identifier: Apache-2.0
// Improves a plan of segments by encoding them: what a segment's own mode, delta encoding and
// lookbacks save is not visible to estimates over shared bins.
#pragma once

#include <span>

#include "base/arena.hpp"
#include "numpact/config.hpp"
#include "numpact/types.hpp"

namespace numpact::internal {

// Whether plans are refined: from level 10 on, unless decoding speed is favored, which short chunks
// reduce.
bool refines_segments(const EncodeConfig& config);

// Sizes of segments that together take no more bytes than the given ones, which add up to the run.
// Allocated in `arena`. New segments have at least kMinSegmentN numbers. Deterministic.
std::span<const std::size_t> refine_segments(const NumberView& numbers,
                                             std::span<const std::size_t> sizes,
                                             const EncodeConfig& config, Arena& arena);

}  // namespace numpact::internal
