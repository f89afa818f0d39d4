// SPDX-License-Identifier: Apache-2.0
// Writes bit-packed data into memory of a fixed size. Past the end it drops bits and remembers that
// it did.
#ifndef NUMPACT_BITS_BIT_WRITER_HPP
#define NUMPACT_BITS_BIT_WRITER_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/load.hpp"
#include "numpact/error.hpp"

namespace numpact {

class BitWriter {
 public:
  explicit BitWriter(std::span<std::byte> out) : out_(out) {}

  // The low `bits` (0 to 64) of value; those above must be zero.
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

  // Zeros up to the next byte.
  void finish_byte() {
    if (filled_ % 8 != 0) write(0, 8 - filled_ % 8);
    flush();
  }

  // Whole bytes gone to memory so far. Exact after finish_byte().
  std::size_t size() const { return at_; }
  Status status() const { return overrun_ ? no_room() : Status(); }
  static Status no_room() {
    return Status(ErrorKind::kOutputTooSmall, "the output has too little room");
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
  unsigned filled_ = 0;  // bits in buffer_, under 64
  bool overrun_ = false;
};

}  // namespace numpact

#endif
