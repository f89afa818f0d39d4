// SPDX-License-Identifier: Apache-2.0
// Parts on their way to the device: while one is decoded the next one is copied.
#ifndef NUMPACT_GPU_CUDA_PCO_SLOTS_HPP
#define NUMPACT_GPU_CUDA_PCO_SLOTS_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include "gpu/cuda/pco_part.hpp"
#include "gpu/cuda/pco_status.hpp"
#include "gpu/cuda/runtime.hpp"

namespace numpact::cuda {

// Two slots in turns. The device must be current in all calls, the destructor included; then
// nothing may be queued any more.
class PcoSlots {
 public:
  struct Slot {
    DeviceMemory device;  // the part, and what came behind it
    DeviceMemory scratch;
    DeviceMemory numbers;
    PinnedMemory host;
    Event copied;   // the pinned memory may be written again
    Event decoded;  // the device's may; to be recorded by who queues the decoding
  };

  PcoSlots() = default;
  ~PcoSlots();
  PcoSlots(const PcoSlots&) = delete;
  PcoSlots& operator=(const PcoSlots&) = delete;

  // Before parts whose failures are told by one status.
  Status begin(cudaStream_t stream);
  // Queues the copy of a part, with `tail` behind it, which the stream then waits for; sees to its
  // scratch and to so many bytes for numbers. `file`: what the plan was made from.
  Status put(const PcoPart& part, const DevicePlan& plan, std::span<const std::byte> file,
             std::span<const std::byte> tail, std::uint64_t number_bytes, cudaStream_t stream,
             Slot*& slot);
  // After an error: what was queued of a copy still reads pinned memory.
  void wait_for_copies();

  StatusCell& status() { return status_; }

 private:
  Slot slots_[2];
  std::size_t next_ = 0;
  StatusCell status_;
  cudaStream_t copies_ = nullptr;
};

}  // namespace numpact::cuda

#endif
