// SPDX-License-Identifier: Apache-2.0
// A sliding window over a source of bytes.
#ifndef NUMPACT_API_INPUT_BUFFER_HPP
#define NUMPACT_API_INPUT_BUFFER_HPP

#include <algorithm>
#include <cstring>
#include <memory_resource>
#include <utility>
#include <vector>

#include "base/crc.hpp"
#include "base/guard.hpp"
#include "base/try.hpp"
#include "numpact/stream.hpp"

namespace numpact {

// What a source says that it read, of so much room. A source that says more has written past the
// room, or lies; either way nothing that follows can be trusted.
inline Status check_given(std::size_t got, std::size_t room) {
  if (got <= room) return {};
  return Status(ErrorKind::kIo, "the source gave more bytes than it was asked for");
}

class InputBuffer {
 public:
  InputBuffer(ByteSource& source, std::pmr::memory_resource* memory)
      : source_(&source), bytes_(memory) {}

  // What has arrived and was not dropped.
  std::span<const std::byte> bytes() const { return {bytes_.data() + begin_, end_ - begin_}; }
  // Nothing comes after bytes().
  bool is_last() const { return at_end_; }
  // Bytes dropped so far: the place of bytes() in the source.
  std::uint64_t offset() const { return offset_; }

  void drop(std::size_t count) {
    if (checksums_) crc_ = crc32({bytes_.data() + begin_, count}, crc_);
    begin_ += count;
    offset_ += count;
  }

  // From now on drop() sums up what goes.
  void keep_checksum() { checksums_ = true; }
  // Of what was dropped since the last call.
  std::uint32_t take_checksum() { return std::exchange(crc_, 0); }

  // Reads until at least `wanted` bytes are there or the source ends.
  Status ensure(std::size_t wanted) {
    while (end_ - begin_ < wanted && !at_end_) NUMPACT_TRY(read_some(wanted));
    return {};
  }
  // Makes bytes() longer, if the source has more. Grows twofold, so that trying again after each
  // call stays linear.
  Status extend() {
    const std::size_t have = end_ - begin_;
    return ensure(have < kPiece / 2 ? have + kPiece / 2 : 2 * have);
  }
  // Reads once, to have at most `most` bytes. The room doubles once it is full.
  Status extend_once(std::size_t most) {
    const std::size_t have = end_ - begin_;
    if (at_end_ || have >= most) return {};
    const std::size_t room = have < bytes_.size() ? bytes_.size() : 2 * have;
    return read_some(std::min(most, std::max(kPiece, room)));
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 16;

  Status read_some(std::size_t wanted) {
    NUMPACT_TRY(failure_);
    if (begin_ > 0) {
      std::memmove(bytes_.data(), bytes_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    // Twice what has arrived at most: room follows bytes, not claims.
    const std::size_t room = std::max(kPiece, std::min(wanted, 2 * end_));
    if (bytes_.size() < room) {
      bytes_.reserve(room);  // no more than that
      bytes_.resize(room);
    }
    std::size_t got = 0;
    failure_ = guarded([&] {
      return source_->read({bytes_.data() + end_, bytes_.size() - end_}, got);
    });
    NUMPACT_TRY(failure_);
    failure_ = check_given(got, bytes_.size() - end_);
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
  Status failure_;  // of the source; it is not asked again
};

}  // namespace numpact

#endif
