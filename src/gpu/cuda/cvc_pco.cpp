// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/cvc_pco.hpp"

#include <utility>

#include "base/internal.hpp"
#include "base/try.hpp"
#include "gpu/cuda/cvc_pages.hpp"
#include "gpu/cvc/pages_grid.hpp"

namespace numpact::cuda {
namespace {

// Limit of a plan with its input and numbers, which bounds the buffers on the device. Smaller plans
// overlap better with copies; larger ones keep the device busier.
constexpr std::uint64_t kMaxPlanBytes = std::uint64_t{1} << 27;

// Segments of plans in pinned memory; four of them overlap.
constexpr std::size_t kSegmentBytes = std::size_t{1} << 24;
constexpr std::size_t kRingBytes = 4 * kSegmentBytes;

}  // namespace

Status PcoSlices::add(const cvc::StoredSlice& slice, std::uint64_t chunk, const cvc::RowRange& rows,
                      const DeviceRows& out, cudaStream_t stream) {
  SlicePlanner planner(slice, rows.first, rows.count);
  while (!planner.is_at_end()) {
    const Result<SlicePlan> made = planner.next(kMaxPlanBytes);
    NUMPACT_TRY(made.status().shifted(slice.offset).at_chunk(chunk));
    if (made->pages.empty()) continue;
    const Status queued = queue(slice, chunk, made->plan, made->pages, rows, out, stream);
    if (queued.ok()) continue;
    // Work that was queued before the error still uses the buffers.
    (void)slots_.end(stream);
    (void)status_of(cudaStreamSynchronize(stream));
    return queued;
  }
  return {};
}

Status PcoSlices::queue(const cvc::StoredSlice& slice, std::uint64_t chunk, const DevicePlan& plan,
                        const std::vector<PlannedPage>& pages, const cvc::RowRange& rows,
                        const DeviceRows& out, cudaStream_t stream) {
  if (queued_.empty()) {
    NUMPACT_TRY(slots_.begin(stream, 1));
    NUMPACT_TRY(slots_.ring().reserve(kRingBytes));
  }
  const PcoPart part(plan);
  std::vector<std::uint64_t> firsts;
  firsts.reserve(pages.size());
  for (const PlannedPage& page : pages) firsts.push_back(page.first);
  PcoSlots::Slot* slot = nullptr;
  const auto tail = std::as_bytes(std::span(firsts));
  NUMPACT_TRY(slots_.open(
      {part.bytes() + tail.size(), part.scratch_bytes(), plan.count * size_of(plan.type)}, slot));
  StagedCopy copy(kSegmentBytes);
  part.add_to(copy, plan, slice.bytes);
  copy.add(tail, part.bytes());
  SlotSink sink(slots_.ring(), *slot);
  NUMPACT_TRY(copy.send(*pool_, sink));
  // From here on work is queued, for which wait() must wait even after an error.
  Queued queued{first_task_, chunk, slice.offset, plan.places()};
  first_task_ += plan.tasks.size();
  queued_.push_back(std::move(queued));
  NUMPACT_TRY(part.launch(slot->device.data(), slot->scratch.data(), slot->numbers.data(),
                          slots_.status().word(), queued_.back().first_task, slot->stream));
  gpu::PagesGrid grid = gpu::grid_of(
      pages, rows, {static_cast<std::byte*>(out.data), out.stride, cvc::size_of(out.type)});
  grid.numbers = slot->numbers.data();
  grid.firsts = reinterpret_cast<const std::uint64_t*>(slot->device.data() + part.bytes());
  return put_pages(grid, plan.type, out.type, slot->stream);
}

Status PcoSlices::wait(cudaStream_t stream) {
  if (queued_.empty()) return {};
  const std::vector<Queued> all = std::exchange(queued_, {});
  first_task_ = 0;
  const Status ended = slots_.end(stream);
  NUMPACT_TRY(slots_.status().read(stream));
  NUMPACT_TRY(ended);
  const std::optional<TaskFailure> failure = slots_.status().failure();
  if (!failure) return {};
  for (const Queued& queued : all) {
    if (failure->task >= queued.first_task + queued.places.tasks.size()) continue;
    return queued.places.status_of(failure->task - queued.first_task, failure->failure)
        .shifted(queued.offset)
        .at_chunk(queued.chunk);
  }
  return Status(ErrorKind::kDevice, "an unknown task failed");
}

}  // namespace numpact::cuda
