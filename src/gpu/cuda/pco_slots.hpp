// SPDX-License-Identifier: Apache-2.0
// Copies parts to the device: while one part is decoded, the next one is copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/internal.hpp"
#include "gpu/cuda/pco_part.hpp"
#include "gpu/cuda/pco_status.hpp"
#include "gpu/cuda/runtime.hpp"

namespace numpact::cuda {

// Two slots that alternate. The device must be current in all calls, also in the destructor, at
// which no work may be queued. What waits for what:
//   writing a slot's pinned memory (CPU)   waits for the slot's last copy       (event `copied`)
//   copying a slot (copies_ stream)        waits for the slot's last decoding   (event `decoded`)
//   decoding a slot (caller's stream)      waits for its copy                   (event `copied`)
class PcoSlots {
 public:
  struct Slot {
    DeviceMemory device;  // the part and its tail
    DeviceMemory scratch;
    DeviceMemory numbers;
    PinnedMemory host;
    Event copied;   // the copy is done: pinned memory may be written again
    Event decoded;  // the decoding is done: device memory may be written again; recorded by the
                    // caller
  };

  PcoSlots() = default;
  ~PcoSlots();
  PcoSlots(const PcoSlots&) = delete;
  PcoSlots& operator=(const PcoSlots&) = delete;

  // Starts a sequence of parts whose failures share one status.
  Status begin(cudaStream_t stream);
  // Queues the copy of a part, followed by `tail`, to the next slot, and makes `stream` wait for
  // it. Provides the slot's scratch and `number_bytes` bytes for numbers. `file`: the bytes from
  // which the plan was made.
  Status put(const PcoPart& part, const DevicePlan& plan, std::span<const std::byte> file,
             std::span<const std::byte> tail, std::uint64_t number_bytes, cudaStream_t stream,
             Slot*& slot);
  // For use after an error, when queued copies may still read pinned memory.
  void wait_for_copies();

  StatusCell& status() { return status_; }

 private:
  Slot slots_[2];
  std::size_t next_ = 0;
  StatusCell status_;
  cudaStream_t copies_ = nullptr;
};

}  // namespace numpact::cuda
