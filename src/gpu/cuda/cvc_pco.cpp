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
    slots_.wait_for_copies();
    (void)status_of(cudaStreamSynchronize(stream));
    return queued;
  }
  return {};
}

Status PcoSlices::queue(const cvc::StoredSlice& slice, std::uint64_t chunk, const DevicePlan& plan,
                        const std::vector<PlannedPage>& pages, const cvc::RowRange& rows,
                        const DeviceRows& out, cudaStream_t stream) {
  if (queued_.empty()) NUMPACT_TRY(slots_.begin(stream));
  const PcoPart part(plan);
  std::vector<std::uint64_t> firsts;
  firsts.reserve(pages.size());
  for (const PlannedPage& page : pages) firsts.push_back(page.first);
  PcoSlots::Slot* slot = nullptr;
  NUMPACT_TRY(slots_.put(part, plan, slice.bytes, std::as_bytes(std::span(firsts)),
                         plan.count * size_of(plan.type), stream, slot));
  // From here on work is queued, for which wait() must wait even after an error.
  Queued queued{first_task_, chunk, slice.offset, plan.places()};
  first_task_ += plan.tasks.size();
  queued_.push_back(std::move(queued));
  NUMPACT_TRY(part.launch(slot->device.data(), slot->scratch.data(), slot->numbers.data(),
                          slots_.status().word(), queued_.back().first_task, stream));
  gpu::PagesGrid grid = gpu::grid_of(
      pages, rows, {static_cast<std::byte*>(out.data), out.stride, cvc::size_of(out.type)});
  grid.numbers = slot->numbers.data();
  grid.firsts = reinterpret_cast<const std::uint64_t*>(slot->device.data() + part.bytes());
  NUMPACT_TRY(put_pages(grid, plan.type, out.type, stream));
  return slot->decoded.record(stream);
}

Status PcoSlices::wait(cudaStream_t stream) {
  if (queued_.empty()) return {};
  std::optional<TaskFailure> failure;
  const std::vector<Queued> all = std::exchange(queued_, {});
  first_task_ = 0;
  NUMPACT_TRY(slots_.status().read(stream, failure));
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
