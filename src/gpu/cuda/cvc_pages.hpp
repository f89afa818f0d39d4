// SPDX-License-Identifier: Apache-2.0
// The kernel launch that copies decoded numbers of Pco pages to the rows of the output.
#pragma once

#include <cuda_runtime_api.h>

#include "base/internal.hpp"
#include "gpu/cvc/pages.hpp"
#include "numpact/error.hpp"

namespace numpact::cuda {

// All pointers of the grid are to device memory. `stored`: the type of the numbers.
Status put_pages(const gpu::PagesGrid& grid, NumberType stored, cvc::Dtype out,
                 cudaStream_t stream) noexcept;

}  // namespace numpact::cuda
