// SPDX-License-Identifier: Apache-2.0
// A plan and its input as a device has them. The functions of this folder decode its tasks, one
// warp each; they are compiled for GPUs (src/gpu/cuda) and for the emulation (src/gpu/emulation).
//
// A warp is a class with
//   lane()                  0 to 31
//   sync()                  all lanes are here; what they wrote to memory is seen by all
//   from(value, lane)       the value that this lane has; for all lanes at once, like the next two
//   from_below(value, d)    that of the lane d below, or its own where there is none
//   any(condition)          whether it holds in some lane
//   quad_or(bits)           of lanes 0 to 3, which alone call it
//   fail(failure)           notes it for the task
#ifndef NUMPACT_GPU_WALK_VIEW_HPP
#define NUMPACT_GPU_WALK_VIEW_HPP

#include "gpu/host_device.hpp"
#include "numpact/device_plan.hpp"

namespace numpact::gpu {

inline constexpr unsigned kLanes = 32;
inline constexpr unsigned kBatch = 256;
// Latents of a batch that a lane holds: neighbours, the first lane the first.
inline constexpr unsigned kPerLane = kBatch / kLanes;

struct PlanView {
  const PlannedChunk* chunks = nullptr;
  const PlannedTask* tasks = nullptr;
  const std::uint32_t* nodes = nullptr;
  const std::uint64_t* bins = nullptr;
  const std::uint64_t* entries = nullptr;
  const std::int32_t* weights = nullptr;
  const std::uint32_t* heads = nullptr;  // in words of 32 bits, the lowest byte first; so is
  const std::uint32_t* input = nullptr;
  std::uint64_t input_bits = 0;
  NumberKind kind = NumberKind::kUnsigned;
  std::byte* scratch = nullptr;
  void* out = nullptr;
};

}  // namespace numpact::gpu

#endif
