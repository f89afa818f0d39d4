// SPDX-License-Identifier: Apache-2.0
// docs/format/pco.md, "Bit packing": reads one bit after the other.
#pragma once

#include <span>

#include "second/refusal.hpp"

namespace numpact::second {

class BitReader {
 public:
  explicit BitReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  // Up to 64 bits, the least significant first.
  std::uint64_t read(unsigned bits) {
    if (bits > bits_left()) truncated("the input ends inside a field");
    std::uint64_t value = 0;
    for (unsigned i = 0; i < bits; ++i, ++position_) {
      const auto byte = std::to_integer<std::uint64_t>(bytes_[position_ / 8]);
      value |= (byte >> (position_ % 8) & 1) << i;
    }
    return value;
  }
  // Signed integers are stored with their sign bit flipped.
  std::int64_t read_signed(unsigned bits) {
    const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
    return static_cast<std::int64_t>(read(bits) - sign);
  }
  bool read_flag() { return read(1) != 0; }
  void read_padding() {
    while (position_ % 8 != 0) refuse_if(read_flag(), "padding is not zero");
  }
  // Valid only at a byte boundary.
  std::size_t byte_position() const { return position_ / 8; }

 private:
  std::size_t bits_left() const { return 8 * bytes_.size() - position_; }

  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
};

}  // namespace numpact::second
