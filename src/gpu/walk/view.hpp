// SPDX-License-Identifier: Apache-2.0
// Pointers to a plan and its input on a device. The functions of this folder decode its tasks, one
// warp per task. They are compiled for GPUs (src/gpu/cuda) and for the CPU (src/gpu/emulation).
//
// They access the other lanes of their warp through a template parameter, a class with
//   lane()                  number of this lane, 0 to 31
//   sync()                  barrier of all lanes; their writes to memory are visible afterwards
//   from(value, lane)       the value on the given lane; called by all lanes, like the next two
//   from_below(value, d)    the value on the lane d below, or the own value if there is none
//   any(condition)          whether the condition holds on some lane
//   quad_or(bits)           bitwise or over lanes 0 to 3; called by these lanes only
//   fail(failure)           records a failure of the task
#pragma once

#include "base/internal.hpp"
#include "gpu/host_device.hpp"
#include "gpu/plan/device_plan.hpp"

namespace numpact::gpu {

inline constexpr unsigned kLanes = 32;   // threads of a warp
inline constexpr unsigned kBatch = 256;  // numbers of a batch, by the format
// Latents of a batch that a lane holds: lane i has [i * kPerLane, (i + 1) * kPerLane).
inline constexpr unsigned kPerLane = kBatch / kLanes;

struct PlanView {
  const PlannedChunk* chunks = nullptr;
  const PlannedTask* tasks = nullptr;
  const std::uint32_t* nodes = nullptr;
  const std::uint64_t* bins = nullptr;
  const std::uint64_t* entries = nullptr;
  const std::int32_t* weights = nullptr;
  const std::uint32_t* heads = nullptr;  // page headers as little-endian words
  const std::uint32_t* input = nullptr;  // likewise
  std::uint64_t input_bits = 0;
  NumberKind kind = NumberKind::kUnsigned;
  std::byte* scratch = nullptr;
  void* out = nullptr;
};

}  // namespace numpact::gpu
