// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/cvc_kernels.hpp"

#include "base/internal.hpp"
#include "gpu/cuda/runtime.hpp"
#include "gpu/cvc/decode_block.hpp"

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

}  // namespace

Status decode_tasks(const gpu::TaskTable& table, std::uint32_t blocks, gpu::Out out,
                    std::uint32_t* corrupt, cudaStream_t stream) noexcept {
  if (blocks == 0) return {};
  switch (out) {
    case gpu::Out::kFloat:
      decode_kernel<gpu::Out::kFloat><<<blocks, gpu::kThreads, 0, stream>>>(table, corrupt);
      break;
    case gpu::Out::kHalf:
      decode_kernel<gpu::Out::kHalf><<<blocks, gpu::kThreads, 0, stream>>>(table, corrupt);
      break;
    case gpu::Out::kBFloat:
      decode_kernel<gpu::Out::kBFloat><<<blocks, gpu::kThreads, 0, stream>>>(table, corrupt);
      break;
  }
  return status_of(cudaGetLastError());
}

}  // namespace numpact::cuda
