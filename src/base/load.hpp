// SPDX-License-Identifier: Apache-2.0
// Little-endian loads and stores at any address, on machines of either byte order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "platform/compiler.hpp"

namespace numpact::internal {

inline constexpr bool kIsBigEndian = std::endian::native == std::endian::big;

// Converts `n` values of `size` bytes between little-endian and native order.
inline void swap_file_order(std::byte* values, std::size_t n, std::size_t size) {
  if constexpr (kIsBigEndian) {
    for (std::size_t i = 0; i < n; ++i) std::reverse(values + i * size, values + (i + 1) * size);
  }
}

// Loads an integer or a float.
template <class T>
T load_le(const std::byte* at) {
  std::byte bytes[sizeof(T)];
  std::memcpy(bytes, at, sizeof bytes);
  swap_file_order(bytes, 1, sizeof bytes);
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <class T>
void store_le(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
  swap_file_order(at, 1, sizeof value);
}

inline std::uint64_t load_le64(const std::byte* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  if constexpr (kIsBigEndian) word = platform::swapped_bytes(word);
  return word;
}

inline void store_le64(std::byte* at, std::uint64_t word) {
  if constexpr (kIsBigEndian) word = platform::swapped_bytes(word);
  std::memcpy(at, &word, sizeof word);
}

}  // namespace numpact::internal
