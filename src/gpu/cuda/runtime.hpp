// SPDX-License-Identifier: Apache-2.0
// Wrappers of the CUDA runtime: errors as Status, and owners of memory and events.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "numpact/cuda.hpp"
#include "numpact/error.hpp"

namespace numpact::cuda {

// Converts an error of the runtime, and clears it. Texts are static strings of the runtime.
Status status_of(cudaError_t error) noexcept;

// Makes a device current; the destructor restores the previous one.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device) noexcept;
  ~CurrentDevice();
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

  const Status& status() const noexcept { return status_; }

 private:
  int before_ = -1;
  bool is_changed_ = false;
  Status status_;
};

// Whether devices can copy from this memory of the host without the processor. False on errors.
bool is_page_locked(std::span<const std::byte> bytes) noexcept;

// Device memory that is allocated and freed in the order of a stream.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  ~DeviceMemory() { release(); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  DeviceMemory(DeviceMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(other.size_), stream_(other.stream_) {}

  // The device must be current. Frees the old memory; contents are not kept.
  Status take(std::size_t bytes, cudaStream_t stream) noexcept;
  void release() noexcept;

  std::byte* data() const noexcept { return static_cast<std::byte*>(data_); }
  std::size_t size() const noexcept { return size_; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
  cudaStream_t stream_ = nullptr;
};

// Page-locked host memory, which devices can copy asynchronously.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  ~PinnedMemory() { release(); }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  // Provides at least `bytes` bytes; contents are not kept if the memory grows.
  Status take(std::size_t bytes) noexcept;
  void release() noexcept;

  std::byte* data() const noexcept { return static_cast<std::byte*>(data_); }
  std::size_t size() const noexcept { return size_; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

// Marks a position in a stream.
class Event {
 public:
  Event() = default;
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  Status record(cudaStream_t stream) noexcept;
  // Work that is queued on the stream from now on waits for the recorded position. Does nothing if
  // none was recorded.
  Status make_wait(cudaStream_t stream) const noexcept;
  // The calling thread waits for the recorded position.
  Status wait() const noexcept;

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace numpact::cuda
