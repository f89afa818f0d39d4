// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime's errors as ours, and memory that gives itself back.
#ifndef NUMPACT_GPU_CUDA_RUNTIME_HPP
#define NUMPACT_GPU_CUDA_RUNTIME_HPP

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "numpact/cuda/device.hpp"
#include "numpact/error.hpp"

namespace numpact::cuda {

// Texts are static strings of the runtime.
Status status_of(cudaError_t error) noexcept;

// Makes a device current, and the one before again at the end.
class OnDevice {
 public:
  explicit OnDevice(int device) noexcept;
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  const Status& status() const noexcept { return status_; }

 private:
  int before_ = -1;
  bool is_changed_ = false;
  Status status_;
};

// Memory of a device, taken and given back in the order of a stream.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  ~DeviceMemory() { release(); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  DeviceMemory(DeviceMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(other.size_), stream_(other.stream_) {}

  // The device must be current. Nothing is kept of what was there.
  Status take(std::size_t bytes, cudaStream_t stream) noexcept;
  void release() noexcept;

  std::byte* data() const noexcept { return static_cast<std::byte*>(data_); }
  std::size_t size() const noexcept { return size_; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
  cudaStream_t stream_ = nullptr;
};

// Memory of the host that devices can copy from while the CPU goes on.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  ~PinnedMemory() { release(); }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  Status take(std::size_t bytes) noexcept;
  void release() noexcept;

  std::byte* data() const noexcept { return static_cast<std::byte*>(data_); }
  std::size_t size() const noexcept { return size_; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

// Marks a place in a stream.
class Event {
 public:
  Event() = default;
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  Status record(cudaStream_t stream) noexcept;
  // Work queued on the stream from now on waits for the place; nothing where none was recorded.
  Status hold(cudaStream_t stream) const noexcept;
  // The calling thread waits.
  Status wait() const noexcept;

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace numpact::cuda

#endif
