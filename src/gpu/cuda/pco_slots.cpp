// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/pco_slots.hpp"

#include <algorithm>

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
  status_.release();
  for (Slot& slot : slots_) {
    slot.device.release();
    slot.scratch.release();
    slot.numbers.release();
  }
  for (const Slot& slot : slots_) {
    if (slot.stream != nullptr) (void)status_of(cudaStreamDestroy(slot.stream));
  }
}

Status PcoSlots::begin(cudaStream_t stream, std::size_t status_n) {
  for (Slot& slot : slots_) {
    slot.is_used = false;
    if (slot.stream != nullptr) continue;
    NUMPACT_TRY(status_of(cudaStreamCreateWithFlags(&slot.stream, cudaStreamNonBlocking)));
  }
  next_ = 0;
  NUMPACT_TRY(status_.take(status_n, slots_[0].stream));
  NUMPACT_TRY(status_.clear(stream));
  return begun_.record(stream);
}

Status PcoSlots::open(const Sizes& sizes, Slot*& slot) {
  const std::size_t turns = sizes.device > large_bytes_ ? 2 : slots_.size();
  slot = &slots_[next_++ % std::min(turns, slots_.size())];
  slot->is_used = true;
  NUMPACT_TRY(begun_.make_wait(slot->stream));
  NUMPACT_TRY(grow(slot->device, sizes.device, slot->stream));
  NUMPACT_TRY(grow(slot->scratch, sizes.scratch, slot->stream));
  return grow(slot->numbers, sizes.numbers, slot->stream);
}

Status PcoSlots::end(cudaStream_t stream) {
  Status status;
  for (Slot& slot : slots_) {
    if (!slot.is_used) continue;
    Status joined = slot.done.record(slot.stream);
    if (joined.ok()) joined = slot.done.make_wait(stream);
    // Nothing may run on when the caller believes that it has ended.
    if (!joined.ok()) (void)status_of(cudaStreamSynchronize(slot.stream));
    if (status.ok()) status = joined;
  }
  return status;
}

Status SlotSink::buffer(std::size_t bytes, std::size_t, std::byte*& at) {
  return ring_.take(bytes, at);
}

Status SlotSink::send(const std::byte* at, std::size_t bytes, std::size_t to) {
  NUMPACT_TRY(send_locked(at, bytes, to));
  return ring_.sent(slot_.stream);
}

Status SlotSink::send_locked(const std::byte* from, std::size_t bytes, std::size_t to) {
  return status_of(
      cudaMemcpyAsync(slot_.device.data() + to, from, bytes, cudaMemcpyHostToDevice, slot_.stream));
}

}  // namespace numpact::cuda
