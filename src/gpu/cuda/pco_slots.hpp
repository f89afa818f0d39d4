// SPDX-License-Identifier: Apache-2.0
// Streams and device memory for parts: while some are decoded, others are copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/internal.hpp"
#include "gpu/cuda/pco_part.hpp"
#include "gpu/cuda/pco_status.hpp"
#include "gpu/cuda/pinned_ring.hpp"
#include "gpu/cuda/runtime.hpp"
#include "gpu/plan/staged_copy.hpp"

namespace numpact::cuda {

// Slots that take turns. Each has a stream, so that kernels of short parts overlap; the order of
// the stream protects the slot's memory. The device must be current in all calls, also in the
// destructor, at which no work may be queued.
class PcoSlots {
 public:
  struct Slot {
    cudaStream_t stream = nullptr;
    DeviceMemory device;  // the part, and what the caller adds
    DeviceMemory scratch;
    DeviceMemory numbers;
    bool is_used = false;  // since begin()
    Event done;
  };
  // Bytes that a slot needs.
  struct Sizes {
    std::size_t device = 0;
    std::uint64_t scratch = 0;
    std::uint64_t numbers = 0;
  };

  // Parts of more than `large_bytes` use two slots only, which bounds the device memory.
  PcoSlots(std::size_t slot_n, std::size_t large_bytes)
      : slots_(slot_n), large_bytes_(large_bytes) {}
  ~PcoSlots();
  PcoSlots(const PcoSlots&) = delete;
  PcoSlots& operator=(const PcoSlots&) = delete;

  // Starts parts whose failures share `status_n` status words. They are decoded after the work that
  // is queued on `stream`.
  Status begin(cudaStream_t stream, std::size_t status_n);
  // Provides the next slot; its work of earlier parts precedes what is queued now.
  Status open(const Sizes& sizes, Slot*& slot);
  // Work queued on `stream` from now on waits for all slots.
  Status end(cudaStream_t stream);

  StatusCells& status() { return status_; }
  PinnedRing& ring() { return ring_; }

 private:
  std::vector<Slot> slots_;
  std::size_t large_bytes_;
  std::size_t next_ = 0;
  StatusCells status_;
  PinnedRing ring_;
  Event begun_;
};

// Sends segments through the ring to the device memory of a slot.
class SlotSink final : public SegmentSink {
 public:
  SlotSink(PinnedRing& ring, const PcoSlots::Slot& slot) : ring_(ring), slot_(slot) {}

  Status buffer(std::size_t bytes, std::size_t to, std::byte*& at) override;
  Status send(const std::byte* at, std::size_t bytes, std::size_t to) override;
  Status send_locked(const std::byte* from, std::size_t bytes, std::size_t to) override;

 private:
  PinnedRing& ring_;
  const PcoSlots::Slot& slot_;
};

}  // namespace numpact::cuda
