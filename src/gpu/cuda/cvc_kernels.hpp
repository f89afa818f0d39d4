// SPDX-License-Identifier: Apache-2.0
// The launch for rows of CVC slices.
#ifndef NUMPACT_GPU_CUDA_CVC_KERNELS_HPP
#define NUMPACT_GPU_CUDA_CVC_KERNELS_HPP

#include <cuda_runtime_api.h>

#include <cstdint>

#include "gpu/cvc/tasks.hpp"
#include "numpact/error.hpp"

namespace numpact::cuda {

// What `corrupt` holds before the launch, and after it where nothing is wrong.
inline constexpr std::uint32_t kNoneCorrupt = ~std::uint32_t{0};

// Queues blocks 0 to `blocks` - 1 of a table whose parts are in the device's memory. `corrupt`, of
// the device, too, becomes the first task that has a code past its dictionary.
Status decode_tasks(const gpu::TaskTable& table, std::uint32_t blocks, gpu::Out out,
                    std::uint32_t* corrupt, cudaStream_t stream) noexcept;

}  // namespace numpact::cuda

#endif
