// SPDX-License-Identifier: Apache-2.0
// Pointers to a plan and its input on a device. The functions of this folder decode its tasks, one
// warp per group of tasks. They are compiled for GPUs (src/gpu/cuda) and for the CPU
// (src/gpu/emulation).
//
// They access the other lanes of their warp through a template parameter, a class with
//   lane()                  number of this lane, 0 to 31
//   sync()                  barrier of all lanes; their writes to memory are visible afterwards
//   from(value, lane)       the value on the given lane; called by all lanes, like all below
//   plus_below(value, d)    the own value, plus that of the lane d below if there is one
//   max(value)              the largest value of all lanes
//   quad_or(bits)           bitwise or over the four lanes of the own quad
//   quad_sum(value)         sum over the four lanes of the own quad
//   any(condition)          whether the condition holds on some lane
// and, called by any lane,
//   fail(task, failure)     records a failure of a task
//   count(step)             counts executions for measurements; empty on a GPU
#pragma once

#include "base/internal.hpp"
#include "gpu/host_device.hpp"
#include "gpu/plan/device_plan.hpp"
#include "gpu/plan/task_groups.hpp"

namespace numpact::gpu {

inline constexpr unsigned kLanes = 32;   // threads of a warp
inline constexpr unsigned kBatch = 256;  // numbers of a batch, by the format
// Latents of a batch that a lane holds: lane i has [i * kPerLane, (i + 1) * kPerLane).
inline constexpr unsigned kPerLane = kBatch / kLanes;
// Interleaved tANS states of a variable; the lanes of a quad hold one each.
inline constexpr unsigned kStates = 4;
static_assert(kMaxGroupTasks * kStates == kLanes);

// Steps of a warp. count() is called where a step begins, and the step ends with the block of that
// call or where another begins: bench/gpu_steps.py finds the instructions of each by these lines.
enum class Step : std::uint8_t {
  kGroups,          // the first and last steps of a group
  kBatches,         // a batch of all tasks of a group
  kTurns,           // one code of each state
  kWidths,          // in a turn: the offset widths are summed, too
  kTasks,           // a batch of one task
  kOffsets,         // offsets of a variable in a batch of one task
  kBins,            // their bins in a whole batch
  kBinsOfRest,      // and in one that is not whole
  kMoments,         // a prefix sum of Consecutive in a batch of one task
  kLookbackRounds,  // 32 latents of Lookback
  kConv1Batches,    // deltas of Conv1 in a batch of all tasks
  kConv1Latents,    // one latent of each task, predicted by Conv1
  kConv1Terms,      // one product of such a prediction
  kPuts,            // joining and storing in a batch of one task
  kDict,            // in such a batch: the modes, and the conversion of floats
  kIntMult,
  kFloatMult,
  kFloatQuant,
  kFloats,
  kSteps
};

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
