// SPDX-License-Identifier: Apache-2.0
// The warp interface of src/gpu/walk/view.hpp on a GPU. All functions with the mask kAll
// synchronise the 32 lanes of the warp.
#pragma once

#include <cuda_runtime.h>

#include "base/internal.hpp"
#include "gpu/cuda/pco_launch.hpp"

namespace numpact::gpu {

class DeviceWarp {
 public:
  __device__ DeviceWarp(StatusWord* status, StatusWord task)
      : status_(status), task_(task), lane_(threadIdx.x % kLanes) {}

  __device__ unsigned lane() const { return lane_; }
  __device__ void sync() { __syncwarp(); }
  template <class T>
  __device__ T from(T value, unsigned lane) {
    return __shfl_sync(kAll, value, static_cast<int>(lane));
  }
  template <class T>
  __device__ T from_below(T value, unsigned distance) {
    return __shfl_up_sync(kAll, value, distance);
  }
  __device__ bool any(bool condition) { return __any_sync(kAll, condition) != 0; }
  __device__ std::uint32_t quad_or(std::uint32_t bits) { return __reduce_or_sync(kQuad, bits); }
  __device__ void fail(PlannedFailure failure) {
    atomicMin(status_, task_ << kFailureBits | static_cast<StatusWord>(failure));
  }

 private:
  static constexpr unsigned kAll = 0xffffffffu;
  static constexpr unsigned kQuad = 0xfu;

  StatusWord* status_;
  StatusWord task_;
  unsigned lane_;
};

}  // namespace numpact::gpu
