// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/owned.hpp"
#include "base/task_pool.hpp"
#include "base/try.hpp"
#include "gpu/cuda/pco_part.hpp"
#include "gpu/cuda/pco_status.hpp"
#include "numpact/cuda.hpp"

namespace numpact::cuda {

namespace {

// Maximum size of a part. Parts are decoded one after the other, so few large ones keep the device
// busier; smaller ones need less host memory while loading.
constexpr std::uint64_t kPartBytes = std::uint64_t{1} << 30;

// A part in ordinary memory of the host.
class BlockSink final : public SegmentSink {
 public:
  explicit BlockSink(std::byte* block) : block_(block) {}
  Status buffer(std::size_t, std::size_t to, std::byte*& at) override {
    at = block_ + to;
    return {};
  }
  Status send(const std::byte*, std::size_t, std::size_t) override { return {}; }

 private:
  std::byte* block_;
};

}  // namespace

struct LoadedPco::Impl {
  struct Part {
    PcoPart part;
    DevicePlan places;  // only the places of its tasks, for errors
    std::uint64_t first_task;
    DeviceMemory device;
  };

  explicit Impl(int on_device) : device(on_device) {}
  ~Impl() {
    const CurrentDevice current(device);
    // Memory is freed after the last decoding, whatever stream that was queued on.
    if (stream != nullptr) (void)decoded.make_wait(stream);
    parts.clear();
    scratch.release();
    cell.release();
    if (stream != nullptr) (void)status_of(cudaStreamDestroy(stream));
  }

  Status load(std::span<const std::byte> file, const ChunkIndex& from, const DecodeConfig& config) {
    NUMPACT_TRY(status_of(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)));
    NUMPACT_TRY(cell.take(1, stream));
    const TaskPool pool(config.threads, config.executor);
    index = from;
    DevicePlanner planner(file, index);
    std::uint64_t scratch_bytes = 0;
    while (!planner.is_at_end()) {
      DevicePlan plan;
      NUMPACT_TRY(planner.next(kPartBytes, config, PlannedChecksums::kListed).into(plan));
      PcoPart part(plan);
      DeviceMemory memory;
      NUMPACT_TRY(memory.take(part.bytes(), stream));
      const auto bytes_of_part = std::make_unique_for_overwrite<std::byte[]>(part.bytes());
      StagedCopy copy(part.bytes());
      part.add_to(copy, plan, file);
      BlockSink sink(bytes_of_part.get());
      NUMPACT_TRY(copy.send(pool, sink));
      NUMPACT_TRY(copy.compare(plan));
      NUMPACT_TRY(status_of(cudaMemcpyAsync(memory.data(), bytes_of_part.get(), part.bytes(),
                                            cudaMemcpyHostToDevice, stream)));
      NUMPACT_TRY(status_of(cudaStreamSynchronize(stream)));
      scratch_bytes = std::max(scratch_bytes, part.scratch_bytes());
      bytes += part.bytes();
      const std::uint64_t first_task = tasks;
      tasks += plan.tasks.size();
      parts.push_back({std::move(part), plan.places(), first_task, std::move(memory)});
    }
    // One scratch suffices, because parts are decoded one after the other.
    NUMPACT_TRY(scratch.take(static_cast<std::size_t>(scratch_bytes), stream));
    bytes += scratch_bytes;
    return status_of(cudaStreamSynchronize(stream));
  }

  Status decode(const DeviceNumbers& out, cudaStream_t on) {
    const Status queued = queue(out, on);
    if (queued.ok()) return decoded.record(on);
    (void)status_of(cudaStreamSynchronize(on));  // leave nothing running after an error
    return queued;
  }

  Status queue(const DeviceNumbers& out, cudaStream_t on) {
    NUMPACT_TRY(cell.clear(on));
    for (const Part& part : parts) {
      NUMPACT_TRY(part.part.launch(part.device.data(), scratch.data(),
                                   static_cast<std::byte*>(out.data), cell.word(), part.first_task,
                                   on));
    }
    return {};
  }

  Status wait(cudaStream_t on) {
    NUMPACT_TRY(cell.read(on));
    const std::optional<TaskFailure> failure = cell.failure();
    if (!failure) return {};
    for (const Part& part : parts) {
      if (failure->task >= part.first_task + part.places.tasks.size()) continue;
      return part.places.status_of(failure->task - part.first_task, failure->failure);
    }
    return Status(ErrorKind::kDevice, "an unknown task failed");
  }

  int device;
  cudaStream_t stream = nullptr;  // memory is allocated and freed in its order
  ChunkIndex index;
  std::vector<Part> parts;
  DeviceMemory scratch;
  StatusCells cell;
  Event decoded;
  std::uint64_t bytes = 0;
  std::uint64_t tasks = 0;
};

LoadedPco::LoadedPco() noexcept : impl_(owned<Impl>(nullptr)) {}

Result<LoadedPco> LoadedPco::load(std::span<const std::byte> file, const ChunkIndex& index,
                                  int device, const DecodeConfig& config) noexcept {
  const CurrentDevice current(device);
  NUMPACT_TRY(current.status());
  return guarded_value<LoadedPco>([&](LoadedPco& loaded) -> Status {
    auto impl = std::make_unique<Impl>(device);
    NUMPACT_TRY(impl->load(file, index, config));
    loaded.impl_ = owned(std::move(impl));
    return {};
  });
}

NumberType LoadedPco::type() const noexcept {
  return impl_ != nullptr ? impl_->index.type().value_or(NumberType::kU8) : NumberType::kU8;
}
std::uint64_t LoadedPco::count() const noexcept {
  return impl_ != nullptr ? impl_->index.count() : 0;
}
std::uint64_t LoadedPco::device_bytes() const noexcept {
  return impl_ != nullptr ? impl_->bytes : 0;
}
std::uint64_t LoadedPco::tasks() const noexcept { return impl_ != nullptr ? impl_->tasks : 0; }

Status LoadedPco::decode(const DeviceNumbers& out, void* stream) noexcept {
  if (impl_ == nullptr) return Status(ErrorKind::kInvalidArgument, "nothing was loaded");
  NUMPACT_TRY(check_output(impl_->index, out));
  const CurrentDevice current(impl_->device);
  NUMPACT_TRY(current.status());
  return impl_->decode(out, static_cast<cudaStream_t>(stream));
}

Status LoadedPco::wait(void* stream) noexcept {
  if (impl_ == nullptr) return Status(ErrorKind::kInvalidArgument, "nothing was loaded");
  const CurrentDevice current(impl_->device);
  NUMPACT_TRY(current.status());
  return impl_->wait(static_cast<cudaStream_t>(stream));
}

}  // namespace numpact::cuda
