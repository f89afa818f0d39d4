// SPDX-License-Identifier: Apache-2.0
// A CPU implementation of the part of the CUDA runtime that the decoders use. Streams execute their
// operations as late as CUDA allows, or as early. A missing wait shows as wrong values, or under
// AddressSanitizer as use of freed memory.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>

namespace numpact::testing {

// Queues a function in place of a kernel.
void enqueue(cudaStream_t stream, std::function<void()> run);

// Bytes of a kind of memory: allocated, most at a time, and where allocations fail.
struct LazyMemory {
  std::size_t used = 0;
  std::size_t peak = 0;
  std::size_t limit = ~std::size_t{0};
};
LazyMemory& lazy_device_memory();
LazyMemory& lazy_pinned_memory();
LazyMemory& lazy_registered_memory();

}  // namespace numpact::testing
