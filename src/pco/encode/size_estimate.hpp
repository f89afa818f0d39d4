// SPDX-License-Identifier: Apache-2.0
// The size of a file before it is encoded, from the estimates of a choice on samples.
#pragma once

#include "base/arena.hpp"
#include "numpact/config.hpp"
#include "pco/delta/deltas.hpp"
#include "pco/mode/modes.hpp"

namespace numpact::internal {

struct SizeSample {
  double bytes = 0;  // of all chunks
  double error_bytes = 0;
  AnyMode mode;
  AnyDelta delta;
};

// numbers: at least one. chunk_n: in each chunk, at least 1. The config must have passed
// check_specs; a recipe is ignored. Leaves the arena as it was. Deterministic.
SizeSample sample_size(const NumberView& numbers, std::size_t chunk_n, const EncodeConfig& config,
                       Arena& arena);

}  // namespace numpact::internal
