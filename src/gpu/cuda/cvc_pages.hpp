// SPDX-License-Identifier: Apache-2.0
// The launch that puts the numbers of Pco pages where they belong.
#ifndef NUMPACT_GPU_CUDA_CVC_PAGES_HPP
#define NUMPACT_GPU_CUDA_CVC_PAGES_HPP

#include <cuda_runtime_api.h>

#include "gpu/cvc/pages.hpp"
#include "numpact/error.hpp"

namespace numpact::cuda {

// Pointers are of the device.
Status put_pages(const gpu::PagesGrid& grid, NumberType stored, cvc::Dtype out,
                 cudaStream_t stream) noexcept;

}  // namespace numpact::cuda

#endif
