// SPDX-License-Identifier: Apache-2.0
// The kernel for Pco pages: one warp decodes one task. Included by the sources that instantiate it.
#pragma once

#include "base/internal.hpp"
#include "gpu/cuda/device_warp.hpp"
#include "gpu/cuda/pco_launch.hpp"
#include "gpu/walk/task.hpp"

namespace numpact::gpu {

// Warps of a block work independently. More of them share a block's scheduling cost, but their
// scratch must fit the shared memory of a block.
inline constexpr unsigned kWarpsPerBlock = 4;

template <class L, class P, DeltaOrder kDeltaOrder>
__global__ void __launch_bounds__(kWarpsPerBlock* kLanes)
    decode_tasks(const __grid_constant__ Launch launch) {
  __shared__ Scratch<L, kDeltaOrder> scratch[kWarpsPerBlock];
  const unsigned warp_index = threadIdx.x / kLanes;
  const std::uint32_t index = blockIdx.x * kWarpsPerBlock + warp_index;
  if (index >= launch.task_n) return;
  const std::uint32_t task = launch.tasks[index];
  DeviceWarp warp(launch.status, launch.first_task + task);
  TaskDecoder<L, P, kDeltaOrder, DeviceWarp>(warp, launch.plan, launch.plan.tasks[task],
                                             scratch[warp_index])
      .run();
}

template <class L, class P, DeltaOrder kDeltaOrder>
cudaError_t start(const Launch& launch, cudaStream_t stream) {
  if (launch.task_n == 0) return cudaSuccess;
  const unsigned blocks = (launch.task_n + kWarpsPerBlock - 1) / kWarpsPerBlock;
  decode_tasks<L, P, kDeltaOrder><<<blocks, kWarpsPerBlock * kLanes, 0, stream>>>(launch);
  return cudaGetLastError();
}

template <class L>
cudaError_t start(const Launch& launch, cudaStream_t stream) {
  if (launch.kind.has_indices) {
    return launch.kind.is_serial ? start<L, std::uint32_t, DeltaOrder::kSerial>(launch, stream)
                                 : start<L, std::uint32_t, DeltaOrder::kParallel>(launch, stream);
  }
  return launch.kind.is_serial ? start<L, L, DeltaOrder::kSerial>(launch, stream)
                               : start<L, L, DeltaOrder::kParallel>(launch, stream);
}

}  // namespace numpact::gpu
