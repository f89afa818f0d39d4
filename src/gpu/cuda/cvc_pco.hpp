// SPDX-License-Identifier: Apache-2.0
// CVC slices that Pco holds: pages are decoded to memory of the device's, and put from there where
// they belong.
#ifndef NUMPACT_GPU_CUDA_CVC_PCO_HPP
#define NUMPACT_GPU_CUDA_CVC_PCO_HPP

#include <vector>

#include "gpu/cuda/pco_slots.hpp"
#include "numpact/cuda/cvc.hpp"
#include "numpact/cvc/stored_slice.hpp"

namespace numpact::cuda {

// The device must be current in all calls, the destructor included.
class PcoSlices {
 public:
  // Queues rows of the slice, the chunk-th, from out.data on; the rest of `out` is not looked at
  // but for type and stride.
  Status add(const cvc::StoredSlice& slice, std::uint64_t chunk, const cvc::RowRange& rows,
             const DeviceRows& out, cudaStream_t stream);
  // Waits for what was queued since the last time, if anything, and says what was wrong with it.
  Status wait(cudaStream_t stream);

 private:
  // What was queued, to say where it failed.
  struct Queued {
    std::uint64_t first_task = 0;
    std::uint64_t chunk = 0;
    std::uint64_t offset = 0;  // of the slice in the file
    DevicePlan places;
  };

  Status queue(const cvc::StoredSlice& slice, std::uint64_t chunk, const DevicePlan& plan,
               const std::vector<PlannedPage>& pages, const cvc::RowRange& rows,
               const DeviceRows& out, cudaStream_t stream);

  PcoSlots slots_;
  std::uint64_t first_task_ = 0;
  std::vector<Queued> queued_;
};

}  // namespace numpact::cuda

#endif
