// SPDX-License-Identifier: Apache-2.0
// Numbers in a row that may become several chunks.
#ifndef NUMPACT_PCO_WRAPPED_RUN_PLAN_HPP
#define NUMPACT_PCO_WRAPPED_RUN_PLAN_HPP

#include <span>

#include "base/arena.hpp"
#include "numpact/config.hpp"
#include "numpact/types.hpp"

namespace numpact {

struct RunPlan {
  std::span<const std::size_t> sizes;  // of chunks, adding up to the numbers; at least one
  // Where the plan has several chunks and one might do as well, by looking back: the bytes that
  // this one would take by estimate, else SIZE_MAX.
  std::size_t whole_bytes = SIZE_MAX;
};

// For 1 to kMaxChunkN numbers. What the plan points to lives in `arena`. The config must have
// passed check_specs.
RunPlan plan_run(const NumberView& numbers, const EncodeConfig& config, Arena& arena);

}  // namespace numpact

#endif
