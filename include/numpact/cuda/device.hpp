// SPDX-License-Identifier: Apache-2.0
// GPUs, for numpact::cuda: a library of its own, which the core does not need.
//
// Nothing here throws. Errors of the CUDA runtime become a Status: kUnavailable where there is no
// device or driver for what was asked, kOutOfMemory, kDevice for all others.
#ifndef NUMPACT_CUDA_DEVICE_HPP
#define NUMPACT_CUDA_DEVICE_HPP

#include <cstddef>

#include "numpact/error.hpp"

namespace numpact::cuda {

// Where work is queued: a device by its number, as CUDA counts those it may use, and one of its
// streams (a cudaStream_t; null is the default stream). Calls that take one return once the work is
// queued, unless they say otherwise; memory they were given must live until it is done.
struct Queue {
  int device = 0;
  void* stream = nullptr;
};

// How many devices there are. kUnavailable, with the reason, where there is no driver.
Status try_device_count(int& count) noexcept;

// Memory of a device that owns itself.
class DeviceBuffer {
 public:
  DeviceBuffer() noexcept = default;
  ~DeviceBuffer();
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;

  // Aligned for any type; nothing is written to it. kOutOfMemory.
  static Status try_allocate(int device, std::size_t bytes, DeviceBuffer& buffer) noexcept;

  void* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  int device() const noexcept { return device_; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
  int device_ = 0;
};

// Waits until all is done that was queued.
Status try_wait(const Queue& queue) noexcept;

}  // namespace numpact::cuda

#endif
