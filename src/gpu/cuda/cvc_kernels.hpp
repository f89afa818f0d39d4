// SPDX-License-Identifier: Apache-2.0
// The kernel launch for rows of CVC slices.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "base/internal.hpp"
#include "gpu/cvc/tasks.hpp"
#include "numpact/error.hpp"

namespace numpact::cuda {

// Value of `corrupt` before the launch, and after it if no code is corrupt.
inline constexpr std::uint32_t kNoneCorrupt = ~std::uint32_t{0};

// Queues a kernel with blocks 0 to `blocks` - 1 of a table. All pointers, also that to `corrupt`,
// are to device memory. `corrupt` becomes the lowest task with a code past its dictionary.
Status decode_tasks(const gpu::TaskTable& table, std::uint32_t blocks, gpu::Out out,
                    std::uint32_t* corrupt, cudaStream_t stream) noexcept;

}  // namespace numpact::cuda
