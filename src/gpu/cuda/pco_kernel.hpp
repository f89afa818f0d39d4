// SPDX-License-Identifier: Apache-2.0
// The kernel for Pco pages: one warp decodes a group of tasks. Included by the sources that
// instantiate it.
#pragma once

#include "base/internal.hpp"
#include "gpu/cuda/device_warp.hpp"
#include "gpu/cuda/pco_launch.hpp"
#include "gpu/walk/group.hpp"

namespace numpact::gpu {

// Warps of a block work independently. More of them share a block's scheduling cost, but their
// scratch must fit the shared memory that every block may use, 48 KiB.
template <DeltaOrder kDeltaOrder>
inline constexpr unsigned kWarpsPerBlock = kDeltaOrder == DeltaOrder::kSerial ? 2 : 4;
// Warps for which a multiprocessor must have registers: 128 for each lane. With fewer registers a
// lane would need local memory.
inline constexpr unsigned kWarpsOfProcessor = 16;
inline constexpr std::size_t kMaxSharedBytes = std::size_t{48} << 10;

template <class L, class P, DeltaOrder kDeltaOrder>
__global__ void __launch_bounds__(kWarpsPerBlock<kDeltaOrder>* kLanes,
                                  kWarpsOfProcessor / kWarpsPerBlock<kDeltaOrder>)
    decode_groups(const __grid_constant__ Launch launch) {
  extern __shared__ uint4 shared[];  // of uint4 for their alignment
  using Shared = Scratch<L, kDeltaOrder>;
  const unsigned warp_index = threadIdx.x / kLanes;
  const std::uint32_t index = blockIdx.x * kWarpsPerBlock<kDeltaOrder> + warp_index;
  if (index >= launch.group_n) return;
  const Shared scratch(
      reinterpret_cast<std::byte*>(shared) + warp_index * Shared::bytes(launch.shape),
      launch.shape);
  DeviceWarp warp(launch.status, launch.first_task);
  GroupDecoder<L, P, kDeltaOrder, DeviceWarp>(warp, launch.plan, launch.groups[index], scratch)
      .run();
}

template <class L, class P, DeltaOrder kDeltaOrder>
cudaError_t start(const Launch& launch, cudaStream_t stream) {
  using Shared = Scratch<L, kDeltaOrder>;
  constexpr unsigned kWarps = kWarpsPerBlock<kDeltaOrder>;
  constexpr std::uint32_t kVariables = kDeltaOrder == DeltaOrder::kSerial ? 3 : 2;
  static_assert(kWarps * Shared::bytes({kMaxGroupTasks, kVariables}) <= kMaxSharedBytes);
  static_assert(alignof(uint4) == Shared::kAlignment);
  if (launch.group_n == 0) return cudaSuccess;
  const unsigned blocks = (launch.group_n + kWarps - 1) / kWarps;
  const std::size_t bytes = kWarps * Shared::bytes(launch.shape);
  decode_groups<L, P, kDeltaOrder><<<blocks, kWarps * kLanes, bytes, stream>>>(launch);
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
