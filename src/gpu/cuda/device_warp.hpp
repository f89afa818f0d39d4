// SPDX-License-Identifier: Apache-2.0
// The warp interface of src/gpu/walk/view.hpp on a GPU. All functions with the mask kAll
// synchronise the 32 lanes of the warp; those of quads too, because one instruction serves all.
#pragma once

#include <cuda_runtime.h>

#include "base/internal.hpp"
#include "gpu/cuda/pco_launch.hpp"

namespace numpact::gpu {

class DeviceWarp {
 public:
  // `first`: added to the numbers of tasks in the status.
  __device__ DeviceWarp(StatusWord* status, StatusWord first) : status_(status), first_(first) {}

  // The lane of a register of its own, so that no other has to keep it.
  __device__ unsigned lane() const {
    unsigned lane = 0;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
  }
  __device__ void sync() { __syncwarp(); }
  template <class T>
  __device__ T from(T value, unsigned lane) {
    return __shfl_sync(kAll, value, static_cast<int>(lane));
  }
  // The predicate of the shuffle says whether there is a lane below, so that no comparison is
  // needed.
  __device__ std::uint32_t plus_below(std::uint32_t value, unsigned distance) {
    asm volatile(
        "{.reg .pred p; .reg .u32 below;"
        " shfl.sync.up.b32 below|p, %0, %1, 0, 0xffffffff;"
        " @p add.u32 %0, %0, below;}"
        : "+r"(value)
        : "r"(distance));
    return value;
  }
  __device__ std::uint64_t plus_below(std::uint64_t value, unsigned distance) {
    asm volatile(
        "{.reg .pred p; .reg .u32 low, high; .reg .u64 below; mov.b64 {low, high}, %0;"
        " shfl.sync.up.b32 low|p, low, %1, 0, 0xffffffff;"
        " shfl.sync.up.b32 high|p, high, %1, 0, 0xffffffff;"
        " mov.b64 below, {low, high}; @p add.u64 %0, %0, below;}"
        : "+l"(value)
        : "r"(distance));
    return value;
  }
  __device__ std::uint32_t max(std::uint32_t value) { return __reduce_max_sync(kAll, value); }
  __device__ bool any(bool condition) { return __any_sync(kAll, condition) != 0; }
  __device__ std::uint32_t quad_or(std::uint32_t bits) {
    bits |= __shfl_xor_sync(kAll, bits, 1);
    return bits | __shfl_xor_sync(kAll, bits, 2);
  }
  __device__ std::uint32_t quad_sum(std::uint32_t value) {
    value += __shfl_xor_sync(kAll, value, 1);
    return value + __shfl_xor_sync(kAll, value, 2);
  }
  __device__ void fail(std::uint32_t task, PlannedFailure failure) {
    atomicMin(status_, (first_ + task) << kFailureBits | static_cast<StatusWord>(failure));
  }
  __device__ void count(Step) {}

 private:
  static constexpr unsigned kAll = 0xffffffffu;

  StatusWord* status_;
  StatusWord first_;
};

}  // namespace numpact::gpu
