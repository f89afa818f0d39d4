// SPDX-License-Identifier: Apache-2.0
// Pinned memory through which segments of any size flow to a device, one behind the other.
#pragma once

#include <array>
#include <cstddef>

#include "base/internal.hpp"
#include "gpu/cuda/runtime.hpp"

namespace numpact::cuda {

// The device must be current in all calls. One thread at a time.
class PinnedRing {
 public:
  // Bounds the pinned memory of a decoder: the system cannot swap it out.
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 28;
  // A segment may take a quarter, so that others are copied while it is filled.
  static constexpr std::size_t kMaxSegmentBytes = kMaxBytes / 4;

  // Grows to at least `bytes`, kMaxBytes at most. kOutOfMemory.
  Status reserve(std::size_t bytes);
  // Memory for the next segment, aligned to 256 bytes; waits for copies that still read it.
  // `bytes`: kMaxSegmentBytes at most.
  Status take(std::size_t bytes, std::byte*& at);
  // Copies from the memory of the last take() have been queued on the stream.
  Status sent(cudaStream_t stream);

 private:
  // Segments that are queued at a time. Each needs an event; more than the streams can overlap.
  static constexpr std::size_t kMaxSegments = 64;

  struct Segment {
    std::size_t begin = 0;
    std::size_t end = 0;
    Event copied;
  };

  Status wait_for_oldest();
  bool is_free(std::size_t begin, std::size_t end) const;

  PinnedMemory memory_;
  std::array<Segment, kMaxSegments> segments_;
  std::size_t oldest_ = 0;  // index of the first segment that is queued
  std::size_t queued_n_ = 0;
  std::size_t begin_ = 0;  // of the last take()
  std::size_t end_ = 0;
};

}  // namespace numpact::cuda
