// SPDX-License-Identifier: Apache-2.0
// A sliding window over a source of bytes.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory_resource>
#include <utility>
#include <vector>

#include "base/crc.hpp"
#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/try.hpp"
#include "numpact/stream.hpp"

namespace numpact {

// Checks the byte count that a source returned. A source that returns more than `capacity` is
// broken or has written past the buffer: nothing that follows can be trusted.
inline Status check_read_size(std::size_t got, std::size_t capacity) {
  if (got <= capacity) return {};
  return Status(ErrorKind::kIo, "the source gave more bytes than it was asked for");
}

class InputBuffer {
 public:
  InputBuffer(ByteSource& source, std::pmr::memory_resource* memory)
      : source_(&source), bytes_(memory) {}

  // The bytes received and not dropped.
  std::span<const std::byte> bytes() const { return {bytes_.data() + begin_, end_ - begin_}; }
  // Nothing follows bytes().
  bool is_last() const { return at_end_; }
  // Bytes dropped so far, which is the position of bytes() in the source.
  std::uint64_t offset() const { return offset_; }

  void drop(std::size_t count) {
    if (checksums_) crc_ = crc32({bytes_.data() + begin_, count}, crc_);
    begin_ += count;
    offset_ += count;
  }

  // From now on drop() updates a checksum.
  void keep_checksum() { checksums_ = true; }
  // The checksum of the bytes dropped since the last call.
  std::uint32_t take_checksum() { return std::exchange(crc_, 0); }

  // Reads until at least `min_bytes` are buffered or the source ends.
  Status ensure(std::size_t min_bytes) {
    while (end_ - begin_ < min_bytes && !at_end_) NUMPACT_TRY(read_some(min_bytes));
    return {};
  }
  // Buffers more bytes if the source has more. Doubles, so that repeated attempts stay linear.
  Status extend() {
    const std::size_t have = end_ - begin_;
    return ensure(have < kMinBufferBytes / 2 ? have + kMinBufferBytes / 2 : 2 * have);
  }
  // Reads once, up to `max_bytes` in total. The buffer doubles when it is full.
  Status extend_once(std::size_t max_bytes) {
    const std::size_t have = end_ - begin_;
    if (at_end_ || have >= max_bytes) return {};
    const std::size_t capacity = have < bytes_.size() ? bytes_.size() : 2 * have;
    return read_some(std::min(max_bytes, std::max(kMinBufferBytes, capacity)));
  }

 private:
  static constexpr std::size_t kMinBufferBytes = std::size_t{1} << 16;

  Status read_some(std::size_t min_bytes) {
    NUMPACT_TRY(failure_);
    if (begin_ > 0) {
      std::memmove(bytes_.data(), bytes_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    // At max_bytes twice the bytes received: the buffer grows with bytes, not with stated sizes.
    const std::size_t capacity = std::max(kMinBufferBytes, std::min(min_bytes, 2 * end_));
    if (bytes_.size() < capacity) {
      NUMPACT_TRY(ensure_memory(capacity));
      bytes_.reserve(capacity);  // exactly this much
      bytes_.resize(capacity);
    }
    std::size_t got = 0;
    failure_ = guarded([&] {
      return source_->read({bytes_.data() + end_, bytes_.size() - end_}).into(got);
    });
    NUMPACT_TRY(failure_);
    failure_ = check_read_size(got, bytes_.size() - end_);
    NUMPACT_TRY(failure_);
    end_ += got;
    at_end_ = got == 0;
    return {};
  }

  ByteSource* source_;
  std::pmr::vector<std::byte> bytes_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;
  bool at_end_ = false;
  bool checksums_ = false;
  std::uint32_t crc_ = 0;
  Status failure_;  // of the source, which is not read again
};

}  // namespace numpact
