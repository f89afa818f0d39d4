// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/cvc_pages.hpp"

#include "base/internal.hpp"
#include "gpu/cuda/runtime.hpp"

namespace numpact::cuda {
namespace {

// A block copies a tile; if there are more tiles than blocks, it goes on with further tiles.
template <class Conversion>
__global__ void __launch_bounds__(gpu::kTileThreads)
    pages_kernel(const __grid_constant__ gpu::PagesGrid grid) {
  const std::uint64_t tiles = gpu::tiles_of(grid);
  for (std::uint64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    gpu::put_tile<Conversion>(grid, tile, threadIdx.x);
  }
}

// Blocks of a launch. Enough to fill every device; below the limit of 2^31 - 1 of a grid.
constexpr std::uint64_t kMaxGridBlocks = std::uint64_t{1} << 20;

}  // namespace

Status put_pages(const gpu::PagesGrid& grid, NumberType stored, cvc::Dtype out,
                 cudaStream_t stream) noexcept {
  const std::uint64_t tiles = gpu::tiles_of(grid);
  if (tiles == 0) return {};
  const auto blocks = static_cast<unsigned>(tiles < kMaxGridBlocks ? tiles : kMaxGridBlocks);
  gpu::with_conversion(stored, out, [&]<class Conversion>(Conversion) {
    pages_kernel<Conversion><<<blocks, gpu::kTileThreads, 0, stream>>>(grid);
  });
  return status_of(cudaGetLastError());
}

}  // namespace numpact::cuda
