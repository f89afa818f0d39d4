// SPDX-License-Identifier: Apache-2.0
#include <new>
#include <optional>
#include <utility>

#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/owned.hpp"
#include "base/try.hpp"
#include "gpu/cuda/pco_slots.hpp"
#include "numpact/cuda.hpp"

namespace numpact::cuda {

struct PcoDecoder::Impl {
  Impl(int on_device, std::uint64_t max_bytes) : device(on_device), part_bytes(max_bytes) {}
  ~Impl() {
    const CurrentDevice current(device);
    slots.reset();
  }

  Status put(const DevicePlan& plan, std::span<const std::byte> file, std::uint64_t first_task,
             std::byte* out, cudaStream_t stream) {
    const PcoPart part(plan);
    PcoSlots::Slot* slot = nullptr;
    NUMPACT_TRY(slots->put(part, plan, file, {}, 0, stream, slot));
    NUMPACT_TRY(part.launch(slot->device.data(), slot->scratch.data(), out, slots->status().word(),
                            first_task, stream));
    return slot->decoded.record(stream);
  }

  Status decode(std::span<const std::byte> file, const ChunkIndex& index, const DeviceNumbers& out,
                cudaStream_t stream, const DecodeConfig& config) {
    NUMPACT_TRY(slots->begin(stream));
    DevicePlanner planner(file, index);
    DevicePlan plan;
    std::uint64_t first_task = 0;
    while (!planner.is_at_end()) {
      Status status = planner.next(part_bytes, config).into(plan);
      if (status.ok()) {
        status = put(plan, file, first_task, static_cast<std::byte*>(out.data), stream);
      }
      if (!status.ok()) return after_failure(status, file, index, stream, config);
      first_task += plan.tasks.size();
    }
    std::optional<TaskFailure> failure;
    NUMPACT_TRY(slots->status().read(stream, failure));
    return failure ? explain(*failure, file, index, config) : Status();
  }

  // Waits for everything that was queued. An error that the device found in earlier parts takes
  // precedence.
  Status after_failure(const Status& error, std::span<const std::byte> file,
                       const ChunkIndex& index, cudaStream_t stream, const DecodeConfig& config) {
    std::optional<TaskFailure> failure;
    slots->wait_for_copies();
    const Status waited = slots->status().read(stream, failure);
    return waited.ok() && failure ? explain(*failure, file, index, config) : error;
  }

  // Locates a failed task by making the plans once more, up to the one with the task.
  Status explain(const TaskFailure& failure, std::span<const std::byte> file,
                 const ChunkIndex& index, const DecodeConfig& config) const {
    DevicePlanner planner(file, index);
    DevicePlan plan;
    std::uint64_t first_task = 0;
    while (!planner.is_at_end()) {
      NUMPACT_TRY(planner.next(part_bytes, config).into(plan));
      if (failure.task < first_task + plan.tasks.size()) break;
      first_task += plan.tasks.size();
    }
    return plan.status_of(failure.task - first_task, failure.failure);
  }

  int device;
  std::uint64_t part_bytes;
  std::optional<PcoSlots> slots{std::in_place};  // destroyed while the device is current
};

PcoDecoder::PcoDecoder(int device, std::uint64_t part_bytes) noexcept
    : impl_(owned(std::unique_ptr<Impl>(new (std::nothrow) Impl(device, part_bytes)))) {}

Result<std::uint64_t> PcoDecoder::decompress_into(std::span<const std::byte> file,
                                                  const DeviceNumbers& out, void* stream,
                                                  const DecodeConfig& config) noexcept {
  ChunkIndex index;
  NUMPACT_TRY(ChunkIndex::build(file, config).into(index));
  NUMPACT_TRY(decompress_into(file, index, out, stream, config));
  return index.count();
}

Status PcoDecoder::decompress_into(std::span<const std::byte> file, const ChunkIndex& index,
                                   const DeviceNumbers& out, void* stream,
                                   const DecodeConfig& config) noexcept {
  NUMPACT_TRY(check_output(index, out));
  if (impl_ == nullptr) return Status(ErrorKind::kOutOfMemory, "out of memory");
  const CurrentDevice current(impl_->device);
  NUMPACT_TRY(current.status());
  return guarded(
      [&] { return impl_->decode(file, index, out, static_cast<cudaStream_t>(stream), config); });
}

}  // namespace numpact::cuda
