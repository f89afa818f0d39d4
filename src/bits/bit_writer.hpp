// SPDX-License-Identifier: Apache-2.0
// Writes bit-packed data into memory of a fixed size. Bits past the end are dropped and recorded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/load.hpp"
#include "numpact/error.hpp"

namespace numpact::internal {

// A write position for kernels that pack many values without bounds checks. Each add() stores a
// word, so up to 8 bytes after the last bit are overwritten with zeros.
struct BitCursor {
  std::byte* at = nullptr;
  std::uint64_t buffer = 0;  // bits not stored yet; those above `filled` are zero
  unsigned filled = 0;

  // Appends the low `bits` (0 to 56) of value. Requires filled <= 7, which store_bytes() ensures.
  void add(std::uint64_t value, unsigned bits) {
    buffer |= value << filled;
    filled += bits;
    store_bytes();
  }
  // Stores the whole bytes of the buffer.
  void store_bytes() {
    store_le64(at, buffer);
    at += filled / 8;
    buffer >>= filled & 0x38;
    filled &= 7;
  }
};

class BitWriter {
 public:
  explicit BitWriter(std::span<std::byte> out) : out_(out) {}

  // Appends the low `bits` (0 to 64) of value; its other bits must be zero.
  void write(std::uint64_t value, unsigned bits) {
    buffer_ |= value << filled_;
    const unsigned total = filled_ + bits;
    if (total < 64) {
      filled_ = total;
      return;
    }
    put_word();
    buffer_ = filled_ == 0 ? 0 : value >> (64 - filled_);
    filled_ = total - 64;
  }

  // Pads with zeros to the next byte.
  void finish_byte() {
    if (filled_ % 8 != 0) write(0, 8 - filled_ % 8);
    flush();
  }

  // Remaining bytes of the output.
  std::size_t bytes_left() const { return out_.size() - at_; }
  // A cursor that continues here, in place or in separate memory; return it with take_back().
  BitCursor lend() { return {out_.data() + at_, buffer_, filled_}; }
  BitCursor lend(std::byte* memory) { return {memory, buffer_, filled_}; }
  void take_back(const BitCursor& cursor) {
    at_ = static_cast<std::size_t>(cursor.at - out_.data());
    buffer_ = cursor.buffer;
    filled_ = cursor.filled;
  }
  void take_back(const BitCursor& cursor, const std::byte* memory) {
    const std::size_t bytes = static_cast<std::size_t>(cursor.at - memory);
    const std::size_t fit = bytes < bytes_left() ? bytes : bytes_left();
    if (fit > 0) std::memcpy(out_.data() + at_, memory, fit);
    at_ += fit;
    overrun_ = overrun_ || fit < bytes;
    buffer_ = cursor.buffer;
    filled_ = cursor.filled;
  }

  // Whole bytes stored so far. Exact after finish_byte().
  std::size_t size() const { return at_; }
  Status status() const { return overrun_ ? output_too_small() : Status(); }
  static Status output_too_small() {
    return Status(ErrorKind::kOutputTooSmall, "the output is too small");
  }

 private:
  void put_word() {
    if (out_.size() - at_ >= 8) [[likely]] {
      store_le64(out_.data() + at_, buffer_);
      at_ += 8;
    } else {
      put_bytes(8);
    }
  }
  void put_bytes(unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      if (at_ == out_.size()) {
        overrun_ = true;
        return;
      }
      out_[at_++] = static_cast<std::byte>(buffer_ >> (8 * i));
    }
  }
  void flush() {
    put_bytes(filled_ / 8);
    buffer_ = 0;
    filled_ = 0;
  }

  std::span<std::byte> out_;
  std::size_t at_ = 0;
  std::uint64_t buffer_ = 0;
  unsigned filled_ = 0;  // bits in buffer_, below 64
  bool overrun_ = false;
};

}  // namespace numpact::internal
