// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/owned.hpp"
#include "base/task_pool.hpp"
#include "base/try.hpp"
#include "gpu/cuda/pco_slots.hpp"
#include "gpu/plan/stage_files.hpp"
#include "numpact/cuda.hpp"

namespace numpact::cuda {
namespace {

// Parts on the device at a time: one is copied while others are decoded. A kernel of a short part
// takes several times as long as its copy, because its tasks do not fill the device.
constexpr std::size_t kSlots = 8;

// Segments that the pinned ring holds: one is filled, one copied, two are ready.
constexpr std::size_t kSegmentsOfRing = 4;

// The minimum of a segment bounds the count of copies if parts are tiny.
constexpr std::size_t kMinSegmentBytes = std::size_t{1} << 12;

}  // namespace

struct PcoDecoder::Impl {
  Impl(int on_device, std::uint64_t max_bytes)
      : device(on_device),
        part_bytes(max_bytes),
        // Usual parts, with alignment and what follows the input, are one segment.
        segment_bytes(static_cast<std::size_t>(
            std::clamp<std::uint64_t>(max_bytes, kMinSegmentBytes,
                                      PinnedRing::kMaxSegmentBytes / 5 * 4) /
            4 * 5)) {
    slots.emplace(kSlots, 2 * segment_bytes);
  }
  ~Impl() {
    const CurrentDevice current(device);
    slots.reset();
  }

  // Queues the parts of a call.
  class Sink final : public PartSink {
   public:
    Sink(PcoSlots& slots, std::span<const PcoFile> files, const std::vector<bool>& are_locked)
        : slots_(slots), files_(files), are_locked_(are_locked) {}

    Status begin(const StagedPart& part, std::span<const std::byte> file,
                 StagedCopy& copy) override {
      layout_.emplace(part.plan, are_locked_[part.file]);
      NUMPACT_TRY(slots_.open({layout_->bytes(), layout_->scratch_bytes(), 0}, slot_));
      layout_->add_to(copy, part.plan, file);
      return {};
    }
    Status buffer(std::size_t bytes, std::size_t to, std::byte*& at) override {
      return SlotSink(slots_.ring(), *slot_).buffer(bytes, to, at);
    }
    Status send(const std::byte* at, std::size_t bytes, std::size_t to) override {
      return SlotSink(slots_.ring(), *slot_).send(at, bytes, to);
    }
    Status send_locked(const std::byte* from, std::size_t bytes, std::size_t to) override {
      return SlotSink(slots_.ring(), *slot_).send_locked(from, bytes, to);
    }
    Status end(const StagedPart& part) override {
      return layout_->launch(slot_->device.data(), slot_->scratch.data(),
                             static_cast<std::byte*>(files_[part.file].out.data),
                             slots_.status().word(part.file), part.first_task, slot_->stream);
    }

   private:
    PcoSlots& slots_;
    std::span<const PcoFile> files_;
    const std::vector<bool>& are_locked_;
    PcoSlots::Slot* slot_ = nullptr;
    std::optional<PcoPart> layout_;
  };

  // The executor of a call. Own threads are kept from call to call.
  Executor* executor_of(const DecodeConfig& config) {
    if (config.executor != nullptr || config.threads == 1) return config.executor;
    if (own == nullptr || own_threads != config.threads) {
      own = std::make_unique<ThreadExecutor>(config.threads);
      own_threads = config.threads;
    }
    return own.get();
  }

  // Decodes the files whose status is ok, waits for them and sets their status. An error is that of
  // the whole call.
  Status decode(std::span<PcoFile> files, cudaStream_t stream, const DecodeConfig& config) {
    std::vector<StagedFile> staged;
    staged.reserve(files.size());
    const ChunkIndex nothing;
    std::vector<bool> are_locked;
    std::uint64_t bytes = 0;  // to copy, with a quarter for tables
    for (const PcoFile& file : files) {
      staged.push_back({file.bytes, file.status.ok() ? file.index : &nothing, file.status});
      are_locked.push_back(is_page_locked(file.bytes));
      bytes += file.bytes.size() / 4 + (are_locked.back() ? 0 : file.bytes.size());
    }
    NUMPACT_TRY(slots->begin(stream, files.size()));
    // A ring for all of a call with little to copy: allocation is slow.
    NUMPACT_TRY(slots->ring().reserve(
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes, kSegmentsOfRing * segment_bytes))));
    Sink sink(*slots, files, are_locked);
    const TaskPool pool(1, executor_of(config));
    Status queued = guarded([&] {
      return stage_files(staged, {part_bytes, segment_bytes}, config, pool, plans, sink);
    });
    const Status ended = slots->end(stream);
    NUMPACT_TRY(slots->status().read(stream));
    if (queued.ok()) queued = ended;
    for (std::size_t i = 0; i < files.size(); ++i) {
      PcoFile& file = files[i];
      if (file.status.ok()) file.status = staged[i].status.ok() ? queued : staged[i].status;
      // What the device found in earlier parts takes precedence.
      const std::optional<TaskFailure> failure = slots->status().failure(i);
      if (failure) file.status = explain(*failure, file, config);
    }
    return {};
  }

  static Status first_error(std::span<const PcoFile> files) {
    const auto failed = std::find_if(files.begin(), files.end(),
                                     [](const PcoFile& file) { return !file.status.ok(); });
    return failed == files.end() ? Status() : failed->status;
  }

  // Locates a failed task by making the plans once more, up to the one with the task.
  Status explain(const TaskFailure& failure, const PcoFile& file,
                 const DecodeConfig& config) const {
    DevicePlanner planner(file.bytes, *file.index);
    DevicePlan plan;
    std::uint64_t first_task = 0;
    while (!planner.is_at_end()) {
      NUMPACT_TRY(planner.next(part_bytes, config, PlannedChecksums::kListed).into(plan));
      if (failure.task < first_task + plan.tasks.size()) break;
      first_task += plan.tasks.size();
    }
    return plan.status_of(failure.task - first_task, failure.failure);
  }

  int device;
  std::uint64_t part_bytes;
  std::size_t segment_bytes;
  std::optional<PcoSlots> slots;  // destroyed while the device is current
  StagedPlans plans;
  std::unique_ptr<ThreadExecutor> own;
  unsigned own_threads = 1;
};

PcoDecoder::PcoDecoder(int device, std::uint64_t part_bytes) noexcept
    : impl_(owned<Impl>(nullptr)) {
  (void)guarded([&]() -> Status {
    impl_ = owned(std::make_unique<Impl>(device, part_bytes));
    return {};
  });
}

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
  PcoFile one{file, &index, out, {}};
  return decompress_many({&one, 1}, stream, config);
}

Status PcoDecoder::decompress_many(std::span<PcoFile> files, void* stream,
                                   const DecodeConfig& config) noexcept {
  for (PcoFile& file : files) {
    file.status = file.index != nullptr
                      ? check_output(*file.index, file.out)
                      : Status(ErrorKind::kInvalidArgument, "a file without an index");
  }
  const bool is_any_ok =
      std::any_of(files.begin(), files.end(), [](const PcoFile& file) { return file.status.ok(); });
  if (!is_any_ok) return Impl::first_error(files);
  const Status status = guarded([&]() -> Status {
    if (impl_ == nullptr) return out_of_memory();
    const CurrentDevice current(impl_->device);
    NUMPACT_TRY(current.status());
    return impl_->decode(files, static_cast<cudaStream_t>(stream), config);
  });
  for (PcoFile& file : files) {
    if (file.status.ok()) file.status = status;
  }
  return Impl::first_error(files);
}

}  // namespace numpact::cuda
