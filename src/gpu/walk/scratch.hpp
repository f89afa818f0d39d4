// SPDX-License-Identifier: Apache-2.0
// Shared memory of a warp: buffers through which its lanes exchange the data of a batch.
#pragma once

#include <type_traits>

#include "base/internal.hpp"
#include "gpu/walk/view.hpp"
#include "pco/limits.hpp"

namespace numpact::gpu {

// How deltas are undone: by all lanes in parallel (None, Consecutive), or in order (Lookback,
// Conv1), which needs more shared memory.
enum class DeltaOrder { kParallel, kSerial };

// The latents of a batch, with one unused element after every kPerLane latents. The gaps avoid bank
// conflicts when each lane accesses its kPerLane neighbouring latents:
//   lane 0 accesses elements 0 to 7, lane 1 elements 9 to 16, lane 2 elements 18 to 25, ...
template <class L>
class Staged {
 public:
  NUMPACT_HD L& operator[](unsigned i) { return latents_[i + i / kPerLane]; }

 private:
  L latents_[kBatch + kBatch / kPerLane];
};

struct NoSerialScratch {};

// Buffers for deltas that are undone in order.
struct SerialScratch {
  std::uint32_t lookbacks[kBatch];
  // Conv1: the last `order` latents, oldest first, followed by those of the batch.
  std::uint32_t history[kMaxConv1Order + kBatch];
};

// The scratch of a warp. L: latents of the numbers; primary latents may be dictionary indices of 32
// bits instead.
template <class L, DeltaOrder kDeltaOrder>
struct Scratch {
  alignas(16) std::uint16_t bins[kBatch];
  Staged<std::conditional_t<sizeof(L) == 8, std::uint64_t, std::uint32_t>> staged;
  std::conditional_t<kDeltaOrder == DeltaOrder::kSerial, SerialScratch, NoSerialScratch> serial;
};

}  // namespace numpact::gpu
