// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/pco_sums.hpp"

#include "base/internal.hpp"

namespace numpact::gpu {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kWarps = kThreads / kSumLanes;

__device__ const SumTables kTables = make_sum_tables();

__global__ void __launch_bounds__(kThreads) add_blocks(const __grid_constant__ SumLaunch launch) {
  __shared__ SumTables tables;
  constexpr std::uint32_t kWords = sizeof(SumTables) / 4;
  for (std::uint32_t i = threadIdx.x; i < kWords; i += kThreads) {
    reinterpret_cast<std::uint32_t*>(&tables)[i] =
        reinterpret_cast<const std::uint32_t*>(&kTables)[i];
  }
  __syncthreads();
  const std::uint32_t index = blockIdx.x * kWarps + threadIdx.x / kSumLanes;
  if (index >= launch.block_n) return;
  const SumBlock block = launch.blocks[index];
  const std::uint32_t sum = __reduce_xor_sync(
      0xffffffffu, sum_of_lane(tables, launch.input, block, threadIdx.x % kSumLanes));
  if (threadIdx.x % kSumLanes == 0) atomicXor(&launch.sums[block.sum].left, sum);
}

__global__ void __launch_bounds__(kThreads) compare_sums(const __grid_constant__ SumLaunch launch) {
  const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= launch.sum_n || launch.sums[i].left == 0) return;
  atomicMin(launch.status, (launch.first_task + launch.sums[i].task) << kFailureBits |
                               static_cast<StatusWord>(PlannedFailure::kChecksum));
}

}  // namespace

cudaError_t launch_sums(const SumLaunch& launch, cudaStream_t stream) {
  if (launch.sum_n == 0) return cudaSuccess;
  if (launch.block_n > 0) {
    add_blocks<<<(launch.block_n + kWarps - 1) / kWarps, kThreads, 0, stream>>>(launch);
  }
  compare_sums<<<(launch.sum_n + kThreads - 1) / kThreads, kThreads, 0, stream>>>(launch);
  return cudaGetLastError();
}

}  // namespace numpact::gpu
