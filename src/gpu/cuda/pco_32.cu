// SPDX-License-Identifier: Apache-2.0
#include "base/internal.hpp"
#include "gpu/cuda/pco_kernel.hpp"

namespace numpact::gpu {

cudaError_t launch_32(const Launch& launch, cudaStream_t stream) {
  return start<std::uint32_t>(launch, stream);
}

}  // namespace numpact::gpu
