// SPDX-License-Identifier: Apache-2.0
// Reads bit-packed metadata. Reads past the end yield zeros and are recorded: read a component
// completely, then check status() once before using its values as sizes or indices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/load.hpp"
#include "numpact/error.hpp"

namespace numpact::internal {

class BitReader {
 public:
  explicit BitReader(std::span<const std::byte> bytes, std::uint64_t bit_position = 0)
      : bytes_(bytes), position_(bit_position) {}

  // The next `bits` (0 to 64) as a number, least significant bit first.
  std::uint64_t read(unsigned bits) {
    if (bits == 0) return 0;
    const std::uint64_t value = peek(bits);
    position_ += bits;
    return value;
  }
  unsigned read_small(unsigned bits) { return static_cast<unsigned>(read(bits)); }

  void skip(std::uint64_t bits) { position_ += bits; }

  // Skips to the next byte; the skipped bits must be zero.
  Status finish_byte(const char* what) {
    const unsigned rest = static_cast<unsigned>((8 - position_ % 8) % 8);
    const std::uint64_t padding = read(rest);
    if (overrun()) return status();
    if (padding != 0) return Status(ErrorKind::kCorrupt, what, (position_ - 1) / 8);
    return {};
  }

  bool overrun() const { return position_ > 8 * std::uint64_t{bytes_.size()}; }
  // kTruncated if reads went past the end.
  Status status() const {
    if (overrun()) {
      return Status(ErrorKind::kTruncated, "the input ends inside metadata", bytes_.size());
    }
    return {};
  }
  Status corrupt(const char* what) const {
    if (overrun()) return status();
    return Status(ErrorKind::kCorrupt, what, position_ / 8);
  }

  std::uint64_t bit_position() const { return position_; }
  // Rounded up.
  std::size_t byte_position() const { return static_cast<std::size_t>((position_ + 7) / 8); }
  std::uint64_t bits_left() const {
    const std::uint64_t all = 8 * std::uint64_t{bytes_.size()};
    return position_ < all ? all - position_ : 0;
  }

 private:
  std::uint64_t peek(unsigned bits) const {
    const unsigned shift = static_cast<unsigned>(position_ % 8);
    std::uint64_t value = word(position_ / 8) >> shift;
    if (shift != 0 && bits > 64 - shift) value |= word(position_ / 8 + 8) << (64 - shift);
    return bits == 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
  }
  std::uint64_t word(std::uint64_t byte) const {
    if (byte >= bytes_.size()) return 0;
    const std::size_t at = static_cast<std::size_t>(byte);
    if (bytes_.size() - at >= 8) return load_le64(bytes_.data() + at);
    std::byte padded[8] = {};
    std::memcpy(padded, bytes_.data() + at, bytes_.size() - at);
    return load_le64(padded);
  }

  std::span<const std::byte> bytes_;
  std::uint64_t position_;  // in bits
};

}  // namespace numpact::internal
