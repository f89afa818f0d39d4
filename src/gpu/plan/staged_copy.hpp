// SPDX-License-Identifier: Apache-2.0
// Gathers a block of memory for a device from several places, by several threads, and compares
// checksums of what it copies. What is page-locked already the device copies itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/internal.hpp"
#include "base/task_pool.hpp"
#include "base/try.hpp"
#include "gpu/plan/device_plan.hpp"
#include "numpact/error.hpp"

namespace numpact {

// Where the segments of a block go.
class NUMPACT_API SegmentSink {
 public:
  virtual ~SegmentSink() = default;
  // Memory for the next segment, which belongs `to` bytes after the start of the block. Waits until
  // it may be written.
  virtual Status buffer(std::size_t bytes, std::size_t to, std::byte*& at) = 0;
  // The segment is complete.
  virtual Status send(const std::byte* at, std::size_t bytes, std::size_t to) = 0;
  // Bytes of page-locked memory, which remain as they are until the device has copied them.
  virtual Status send_locked(const std::byte*, std::size_t, std::size_t) {
    return Status(ErrorKind::kInvalidArgument, "segments only");
  }
};

class NUMPACT_API StagedCopy {
 public:
  // `segment_bytes`: maximum size of a segment; at least 1.
  explicit StagedCopy(std::size_t segment_bytes);

  // Adds bytes that go `to` bytes after the start of the block, after all bytes added before. What
  // lies between is unspecified. May throw std::bad_alloc.
  void add(std::span<const std::byte> from, std::size_t to);
  // The same for the input of a plan: plan.checks are compared.
  void add_input(const DevicePlan& plan, std::span<const std::byte> file, std::size_t to);
  // The same for a file in page-locked memory, but nothing is compared. Before all others; segments
  // begin behind it.
  void add_locked_input(const DevicePlan& plan, std::span<const std::byte> file, std::size_t to);

  // Sends all segments in order. `concurrent` is called once, while threads fill the first segment,
  // or alone if there is none; not if the first segment gets no buffer.
  template <class F>
  Status send(const TaskPool& pool, SegmentSink& sink, const F& concurrent);
  Status send(const TaskPool& pool, SegmentSink& sink) {
    return send(pool, sink, [] {});
  }
  // After send(): kChecksum with the first chunk whose bytes have another checksum.
  Status compare(const DevicePlan& plan) const;

 private:
  static constexpr std::uint32_t kNoCheck = ~std::uint32_t{0};

  // Bytes that one thread copies, of one chunk if they are checked.
  struct Fragment {
    const std::byte* from = nullptr;
    std::size_t to = 0;
    std::size_t bytes = 0;
    std::uint32_t check = kNoCheck;  // index in DevicePlan::checks
    std::uint32_t crc = 0;
  };
  // Consecutive fragments [first, end), by index.
  struct Range {
    std::size_t first = 0;
    std::size_t end = 0;
  };

  void add_fragments(std::span<const std::byte> from, std::size_t to, std::uint32_t check);
  std::size_t portion_of(const Fragment& fragment) const { return fragment.to / portion_bytes_; }
  // The portions of the segment that begins with fragment `first`.
  std::vector<Range> portions_of_segment(std::size_t first) const;
  void copy(const Range& portion, std::byte* segment, std::size_t segment_at);

  std::size_t portion_bytes_;
  std::size_t segment_bytes_;  // a multiple of portion_bytes_
  std::vector<Fragment> fragments_;
  std::span<const std::byte> locked_;  // goes locked_to_ bytes after the start of the block
  std::size_t locked_to_ = 0;
};

template <class F>
Status StagedCopy::send(const TaskPool& pool, SegmentSink& sink, const F& concurrent) {
  if (!locked_.empty()) {
    NUMPACT_TRY(sink.send_locked(locked_.data(), locked_.size(), locked_to_));
  }
  bool is_first = true;
  for (std::size_t next = 0; next < fragments_.size();) {
    const std::vector<Range> portions = portions_of_segment(next);
    next = portions.back().end;
    const std::size_t begin =
        fragments_[portions.front().first].to / segment_bytes_ * segment_bytes_;
    const std::size_t at = std::max(begin, locked_to_ + locked_.size());
    const std::size_t end = fragments_[next - 1].to + fragments_[next - 1].bytes;
    std::byte* segment = nullptr;
    NUMPACT_TRY(sink.buffer(end - at, at, segment));
    const std::size_t extra = is_first ? 1 : 0;
    pool.run(portions.size() + extra, [&](std::size_t i) {
      if (i < extra) return concurrent();
      copy(portions[i - extra], segment, at);
    });
    is_first = false;
    NUMPACT_TRY(sink.send(segment, end - at, at));
  }
  if (is_first) concurrent();
  return {};
}

}  // namespace numpact
