// SPDX-License-Identifier: Apache-2.0
// The status word of a decoding on the device.
#pragma once

#include <cstdint>
#include <optional>

#include "base/internal.hpp"
#include "base/try.hpp"
#include "gpu/cuda/pco_launch.hpp"
#include "gpu/cuda/runtime.hpp"
#include "gpu/plan/device_plan.hpp"

namespace numpact::cuda {

struct TaskFailure {
  std::uint64_t task = 0;
  PlannedFailure failure = PlannedFailure::kNone;
};

// A status word on the device and its copy on the host. Tasks of several plans have consecutive
// numbers.
class StatusCell {
 public:
  // Allocates both words. The device must be current. Waits, so that any stream may use the word
  // afterwards; `stream` must outlive this object.
  Status take(cudaStream_t stream) noexcept {
    NUMPACT_TRY(device_.take(sizeof(gpu::StatusWord), stream));
    NUMPACT_TRY(host_.take(sizeof(gpu::StatusWord)));
    return status_of(cudaStreamSynchronize(stream));
  }
  bool is_taken() const { return device_.data() != nullptr && host_.data() != nullptr; }
  void release() noexcept { device_.release(); }
  Status clear(cudaStream_t stream) noexcept {
    return status_of(cudaMemsetAsync(device_.data(), 0xff, sizeof(gpu::StatusWord), stream));
  }
  gpu::StatusWord* word() const { return reinterpret_cast<gpu::StatusWord*>(device_.data()); }

  // Waits for the stream, then reads the status. `failure` is empty if no task failed.
  Status read(cudaStream_t stream, std::optional<TaskFailure>& failure) noexcept {
    failure.reset();
    NUMPACT_TRY(status_of(cudaMemcpyAsync(host_.data(), device_.data(), sizeof(gpu::StatusWord),
                                          cudaMemcpyDeviceToHost, stream)));
    NUMPACT_TRY(status_of(cudaStreamSynchronize(stream)));
    const auto word = *reinterpret_cast<const gpu::StatusWord*>(host_.data());
    if (word == gpu::kNoFailure) return {};
    failure = TaskFailure{
        word >> gpu::kFailureBits,
        static_cast<PlannedFailure>(word & ((gpu::StatusWord{1} << gpu::kFailureBits) - 1))};
    return {};
  }

 private:
  DeviceMemory device_;
  PinnedMemory host_;
};

}  // namespace numpact::cuda
