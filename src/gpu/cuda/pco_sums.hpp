// SPDX-License-Identifier: Apache-2.0
// Kernel launches for the checksums of chunks.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "base/internal.hpp"
#include "gpu/checksum/chunk_sums.hpp"
#include "gpu/cuda/pco_launch.hpp"

namespace numpact::gpu {

// All pointers are to device memory.
struct SumLaunch {
  const std::byte* input = nullptr;
  const SumBlock* blocks = nullptr;
  ChunkSum* sums = nullptr;
  std::uint32_t block_n = 0;
  std::uint32_t sum_n = 0;
  StatusWord* status = nullptr;
  StatusWord first_task = 0;  // added to the task numbers in the status
};

// Queues kernels that add up the blocks and record each chunk whose sum is wrong.
cudaError_t launch_sums(const SumLaunch& launch, cudaStream_t stream);

}  // namespace numpact::gpu
