// SPDX-License-Identifier: Apache-2.0
// A better way to cut a run into chunks, found by encoding: what a chunk's own mode, delta and
// lookbacks save no estimate over shared bins can tell.
#ifndef NUMPACT_PCO_ENCODE_SEGMENT_REFINE_HPP
#define NUMPACT_PCO_ENCODE_SEGMENT_REFINE_HPP

#include <span>

#include "base/arena.hpp"
#include "numpact/config.hpp"
#include "numpact/types.hpp"

namespace numpact::standalone {

// Trying is done at this level: the way to cut that is best there is good at those above. What is
// written in the end is the smaller one of this level and the one asked for.
inline constexpr unsigned kTryingLevel = 8;

// Not where decoding speed counts, which short chunks cost.
bool refines(const EncodeConfig& config);

// Sizes of chunks that take no more together than those given, which add up to the run; in `arena`.
// Chunks that are new have at least kMinCutN numbers. The same for the same run and config.
std::span<const std::size_t> refine_cuts(const NumberView& numbers,
                                         std::span<const std::size_t> sizes,
                                         const EncodeConfig& config, Arena& arena);

}  // namespace numpact::standalone

#endif
