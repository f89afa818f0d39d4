// SPDX-License-Identifier: Apache-2.0
// Eight characters at a time in a 64-bit word, the first one in the lowest byte.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "platform/compiler.hpp"

namespace numpact::cli {

// Bytes that must be readable behind a text that is read by words.
inline constexpr std::size_t kWordBytes = 8;

inline std::uint64_t load_word(const char* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  if constexpr (std::endian::native == std::endian::big) {
    word = internal::platform::swapped_bytes(word);
  }
  return word;
}

constexpr std::uint64_t repeated(unsigned char byte) { return byte * 0x0101'0101'0101'0101; }

// The high bit of a byte is set if the byte is 0. Bytes above the first 0 may be marked wrongly,
// since the subtraction borrows from them.
constexpr std::uint64_t first_zero_mark(std::uint64_t word) {
  return (word - repeated(0x01)) & ~word & repeated(0x80);
}

// The index of the first byte with a mark; 8 if there is none.
constexpr std::size_t first_marked(std::uint64_t marks) {
  return static_cast<std::size_t>(std::countr_zero(marks)) / 8;
}

}  // namespace numpact::cli
