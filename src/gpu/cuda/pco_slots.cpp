// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/pco_slots.hpp"

#include <cstring>

#include "base/internal.hpp"
#include "base/try.hpp"

namespace numpact::cuda {
namespace {

// Allocates a quarter more than needed, to grow less often.
Status grow(DeviceMemory& memory, std::uint64_t bytes, cudaStream_t stream) {
  if (bytes <= memory.size()) return {};
  return memory.take(static_cast<std::size_t>(bytes + bytes / 4), stream);
}

}  // namespace

PcoSlots::~PcoSlots() {
  for (Slot& slot : slots_) {
    slot.device.release();
    slot.scratch.release();
    slot.numbers.release();
  }
  status_.release();
  if (copies_ != nullptr) (void)status_of(cudaStreamDestroy(copies_));
}

Status PcoSlots::begin(cudaStream_t stream) {
  if (copies_ == nullptr) {
    NUMPACT_TRY(status_of(cudaStreamCreateWithFlags(&copies_, cudaStreamNonBlocking)));
  }
  if (!status_.is_taken()) NUMPACT_TRY(status_.take(copies_));
  return status_.clear(stream);
}

Status PcoSlots::put(const PcoPart& part, const DevicePlan& plan, std::span<const std::byte> file,
                     std::span<const std::byte> tail, std::uint64_t number_bytes,
                     cudaStream_t stream, Slot*& slot) {
  slot = &slots_[next_++ % 2];
  const std::size_t all = part.bytes() + tail.size();
  NUMPACT_TRY(slot->copied.wait());
  NUMPACT_TRY(slot->host.take(all));
  part.write(plan, file, slot->host.data());
  if (!tail.empty()) std::memcpy(slot->host.data() + part.bytes(), tail.data(), tail.size());
  NUMPACT_TRY(slot->decoded.make_wait(copies_));
  NUMPACT_TRY(grow(slot->device, all, copies_));
  NUMPACT_TRY(grow(slot->scratch, part.scratch_bytes(), copies_));
  NUMPACT_TRY(grow(slot->numbers, number_bytes, copies_));
  NUMPACT_TRY(status_of(cudaMemcpyAsync(slot->device.data(), slot->host.data(), all,
                                        cudaMemcpyHostToDevice, copies_)));
  NUMPACT_TRY(slot->copied.record(copies_));
  return slot->copied.make_wait(stream);
}

void PcoSlots::wait_for_copies() {
  if (copies_ != nullptr) (void)status_of(cudaStreamSynchronize(copies_));
}

}  // namespace numpact::cuda
