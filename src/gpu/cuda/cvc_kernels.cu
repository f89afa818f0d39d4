// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/cvc_kernels.hpp"

#include "base/internal.hpp"
#include "gpu/cuda/runtime.hpp"
#include "gpu/cvc/decode_block.hpp"
#include "gpu/cvc/rotated.hpp"

namespace numpact::cuda {
namespace {

// Keeps the lowest corrupt task of all threads.
struct DeviceReport {
  std::uint32_t* corrupt;
  __device__ void operator()(std::uint32_t task) const { atomicMin(corrupt, task); }
};

template <gpu::Out kOut>
__global__ void __launch_bounds__(gpu::kThreads)
    decode_kernel(const __grid_constant__ gpu::TaskTable table, std::uint32_t* corrupt) {
  gpu::decode_block<kOut>(table, blockIdx.x, threadIdx.x, DeviceReport{corrupt});
}

// The threads of a block.
struct BlockTeam {
  template <class F>
  __device__ void each(std::uint32_t n, const F& f) {
    for (std::uint32_t i = threadIdx.x; i < n; i += blockDim.x) f(i);
    __syncthreads();
  }
};

template <gpu::Out kOut>
__global__ void __launch_bounds__(gpu::kMaxRotatedThreads)
    rotated_kernel(const __grid_constant__ gpu::TaskTable table) {
  extern __shared__ std::uint64_t shared[];
  BlockTeam team;
  gpu::decode_rotated<kOut>(team, table, blockIdx.x, reinterpret_cast<std::byte*>(shared));
}

template <gpu::Out kOut>
void start(const gpu::TaskTable& table, std::uint32_t blocks, std::uint32_t* corrupt,
           cudaStream_t stream) {
  const std::uint32_t dimension = table.rotated_dimension;
  if (dimension > 0) {
    rotated_kernel<kOut><<<blocks, gpu::rotated_threads(dimension),
                           gpu::rotated_scratch_bytes(dimension), stream>>>(table);
  } else {
    decode_kernel<kOut><<<blocks, gpu::kThreads, 0, stream>>>(table, corrupt);
  }
}

}  // namespace

Status decode_tasks(const gpu::TaskTable& table, std::uint32_t blocks, gpu::Out out,
                    std::uint32_t* corrupt, cudaStream_t stream) noexcept {
  if (blocks == 0) return {};
  switch (out) {
    case gpu::Out::kFloat:
      start<gpu::Out::kFloat>(table, blocks, corrupt, stream);
      break;
    case gpu::Out::kHalf:
      start<gpu::Out::kHalf>(table, blocks, corrupt, stream);
      break;
    case gpu::Out::kBFloat:
      start<gpu::Out::kBFloat>(table, blocks, corrupt, stream);
      break;
  }
  return status_of(cudaGetLastError());
}

}  // namespace numpact::cuda
