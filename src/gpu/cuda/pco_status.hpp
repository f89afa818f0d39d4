// SPDX-License-Identifier: Apache-2.0
// The status words of a decoding on the device.
#pragma once

#include <cstddef>
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

// Status words on the device and their copies on the host. Tasks of several plans that share a word
// have consecutive numbers.
class StatusCells {
 public:
  // Provides at least `n` words. The device must be current. Waits, so that any stream may use new
  // words afterwards; `stream` must outlive this object.
  Status take(std::size_t n, cudaStream_t stream) noexcept {
    n_ = n;
    const std::size_t bytes = n * sizeof(gpu::StatusWord);
    NUMPACT_TRY(host_.take(bytes));
    if (bytes <= device_.size()) return {};
    NUMPACT_TRY(device_.take(bytes, stream));
    return status_of(cudaStreamSynchronize(stream));
  }
  void release() noexcept { device_.release(); }
  Status clear(cudaStream_t stream) noexcept {
    return status_of(cudaMemsetAsync(device_.data(), 0xff, bytes(), stream));
  }
  gpu::StatusWord* word(std::size_t i = 0) const {
    return reinterpret_cast<gpu::StatusWord*>(device_.data()) + i;
  }

  // Waits for the stream, then reads all words.
  Status read(cudaStream_t stream) noexcept {
    NUMPACT_TRY(status_of(
        cudaMemcpyAsync(host_.data(), device_.data(), bytes(), cudaMemcpyDeviceToHost, stream)));
    return status_of(cudaStreamSynchronize(stream));
  }
  // After read(): empty if no task failed.
  std::optional<TaskFailure> failure(std::size_t i = 0) const noexcept {
    const auto word = reinterpret_cast<const gpu::StatusWord*>(host_.data())[i];
    if (word == gpu::kNoFailure) return std::nullopt;
    return TaskFailure{
        word >> gpu::kFailureBits,
        static_cast<PlannedFailure>(word & ((gpu::StatusWord{1} << gpu::kFailureBits) - 1))};
  }

 private:
  std::size_t bytes() const { return n_ * sizeof(gpu::StatusWord); }

  DeviceMemory device_;
  PinnedMemory host_;
  std::size_t n_ = 0;
};

}  // namespace numpact::cuda
