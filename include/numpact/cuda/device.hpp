// SPDX-License-Identifier: Apache-2.0
// GPU devices, for numpact::cuda, a separate library that the core does not need.
//
// Nothing here throws. CUDA errors become a Status: kUnavailable if there is no suitable device or
// driver, kOutOfMemory, or kDevice for all others.
#ifndef NUMPACT_CUDA_DEVICE_HPP
#define NUMPACT_CUDA_DEVICE_HPP

#include <cstddef>

#include "numpact/error.hpp"

namespace numpact::cuda {

// A device, by CUDA's ordinal, and one of its streams (a cudaStream_t; null is the default stream).
// Calls that take a Queue return once the work is queued unless documented otherwise; memory passed
// to them must live until the work is done.
struct Queue {
  int device = 0;
  void* stream = nullptr;
};

// The number of devices. kUnavailable, with the reason, if there is no driver.
Result<int> device_count() noexcept;

// Owning device memory.
class DeviceBuffer {
 public:
  DeviceBuffer() noexcept = default;
  ~DeviceBuffer();
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;

  // Aligned for any type, uninitialized. kOutOfMemory.
  static Result<DeviceBuffer> allocate(int device, std::size_t bytes) noexcept;

  void* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  int device() const noexcept { return device_; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
  int device_ = 0;
};

// Waits for all queued work.
Status wait(const Queue& queue) noexcept;

}  // namespace numpact::cuda

#endif
