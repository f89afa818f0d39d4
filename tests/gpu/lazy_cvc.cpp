// SPDX-License-Identifier: Apache-2.0
#include "base/internal.hpp"
#include "gpu/cuda/cvc_kernels.hpp"
#include "gpu/cuda/cvc_pages.hpp"
#include "gpu/emulation/cvc_emulation.hpp"
#include "gpu/lazy_runtime.hpp"

namespace numpact::cuda {

Status decode_tasks(const gpu::TaskTable& table, std::uint32_t blocks, gpu::Out out,
                    std::uint32_t* corrupt, cudaStream_t stream) noexcept {
  testing::enqueue(stream, [=] {
    const std::uint32_t task = gpu::emulate_tasks(table, blocks, out);
    if (task < *corrupt) *corrupt = task;
  });
  return {};
}

Status put_pages(const gpu::PagesGrid& grid, NumberType stored, cvc::Dtype out,
                 cudaStream_t stream) noexcept {
  testing::enqueue(stream, [=] {
    gpu::with_conversion(stored, out, [&]<class Conversion>(Conversion) {
      for (std::uint64_t tile = 0; tile < gpu::tiles_of(grid); ++tile) {
        for (std::uint32_t thread = 0; thread < gpu::kTileThreads; ++thread) {
          gpu::put_tile<Conversion>(grid, tile, thread);
        }
      }
    });
  });
  return {};
}

}  // namespace numpact::cuda
