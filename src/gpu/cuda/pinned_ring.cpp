// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/pinned_ring.hpp"

#include <algorithm>

#include "base/try.hpp"

namespace numpact::cuda {
namespace {

constexpr std::size_t kSegmentAlignment = 256;  // bytes; of DMA transfers and wide stores

constexpr std::size_t rounded(std::size_t bytes) {
  return (bytes + kSegmentAlignment - 1) / kSegmentAlignment * kSegmentAlignment;
}

}  // namespace

Status PinnedRing::reserve(std::size_t bytes) {
  bytes = std::min(rounded(bytes), kMaxBytes);
  if (bytes <= memory_.size()) return {};
  while (queued_n_ > 0) NUMPACT_TRY(wait_for_oldest());
  memory_.release();  // never more than one block
  begin_ = end_ = 0;
  return memory_.take(bytes);
}

Status PinnedRing::take(std::size_t bytes, std::byte*& at) {
  bytes = rounded(bytes);
  if (bytes > memory_.size()) NUMPACT_TRY(reserve(bytes));
  begin_ = bytes <= memory_.size() - end_ ? end_ : 0;
  while (!is_free(begin_, begin_ + bytes)) NUMPACT_TRY(wait_for_oldest());
  if (queued_n_ == kMaxSegments) NUMPACT_TRY(wait_for_oldest());
  end_ = begin_ + bytes;
  at = memory_.data() + begin_;
  return {};
}

Status PinnedRing::sent(cudaStream_t stream) {
  Segment& segment = segments_[(oldest_ + queued_n_) % kMaxSegments];
  segment.begin = begin_;
  segment.end = end_;
  const Status recorded = segment.copied.record(stream);
  if (recorded.ok()) {
    ++queued_n_;
    return {};
  }
  (void)status_of(cudaStreamSynchronize(stream));  // the copy must not outlive the memory
  return recorded;
}

Status PinnedRing::wait_for_oldest() {
  NUMPACT_TRY(segments_[oldest_].copied.wait());
  oldest_ = (oldest_ + 1) % kMaxSegments;
  --queued_n_;
  return {};
}

bool PinnedRing::is_free(std::size_t begin, std::size_t end) const {
  for (std::size_t i = 0; i < queued_n_; ++i) {
    const Segment& segment = segments_[(oldest_ + i) % kMaxSegments];
    if (segment.begin < end && begin < segment.end) return false;
  }
  return true;
}

}  // namespace numpact::cuda
