// SPDX-License-Identifier: Apache-2.0
// The part of the CUDA runtime that the decoders use, on the CPU: streams do what they were told as
// late as they may, or as early. What a program forgets to wait for comes out as wrong values, or
// under AddressSanitizer as memory that was given back.
#ifndef NUMPACT_TESTS_GPU_LAZY_RUNTIME_HPP
#define NUMPACT_TESTS_GPU_LAZY_RUNTIME_HPP

#include <cuda_runtime_api.h>

#include <functional>

namespace numpact::testing {

// Queues what stands for a kernel.
void tell(cudaStream_t stream, std::function<void()> run);

}  // namespace numpact::testing

#endif
