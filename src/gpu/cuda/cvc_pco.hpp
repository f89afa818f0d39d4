// SPDX-License-Identifier: Apache-2.0
// Decoding of CVC slices that are compressed by pco: pages are decoded to a buffer on the device
// and copied from there to the rows of the output.
#pragma once

#include <vector>

#include "base/internal.hpp"
#include "base/task_pool.hpp"
#include "gpu/cuda/pco_slots.hpp"
#include "numpact/cuda.hpp"
#include "numpact/cvc/reader.hpp"

namespace numpact::cuda {

// The device must be current in all calls, the destructor included.
class PcoSlices {
 public:
  // Starts a call, whose work uses this pool.
  void begin(const TaskPool& pool) { pool_ = &pool; }
  // Queues rows of the slice, which is of chunk number `chunk`. They go to out.data; of `out` only
  // data, type and stride are used.
  Status add(const cvc::StoredSlice& slice, std::uint64_t chunk, const cvc::RowRange& rows,
             const DeviceRows& out, cudaStream_t stream);
  // Waits for everything queued since the last call and returns its first error.
  Status wait(cudaStream_t stream);

 private:
  // A queued plan, for the location of errors.
  struct Queued {
    std::uint64_t first_task = 0;
    std::uint64_t chunk = 0;
    std::uint64_t offset = 0;  // offset of the slice in the file
    DevicePlan places;
  };

  Status queue(const cvc::StoredSlice& slice, std::uint64_t chunk, const DevicePlan& plan,
               const std::vector<PlannedPage>& pages, const cvc::RowRange& rows,
               const DeviceRows& out, cudaStream_t stream);

  // Two slots: a plan is large, since it includes the numbers.
  PcoSlots slots_{2, 0};
  const TaskPool* pool_ = nullptr;
  std::uint64_t first_task_ = 0;
  std::vector<Queued> queued_;
};

}  // namespace numpact::cuda
