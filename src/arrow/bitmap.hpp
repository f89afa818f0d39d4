// SPDX-License-Identifier: Apache-2.0
// Bitmaps of Arrow, least bit first. Those of validity have 0 for null rows.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/load.hpp"

namespace numpact::internal::arrow {

inline bool bit_at(const std::uint8_t* bits, std::size_t index) {
  return (bits[index / 8] >> (index % 8) & 1) != 0;
}

// How many of the bits [at, end) are 0.
inline std::size_t count_zeros(const std::uint8_t* bits, std::size_t at, std::size_t end) {
  std::size_t zeros = end - at;
  while (at < end) {
    if (at % 8 == 0 && end - at >= 64) {
      const std::uint64_t word = load_le64(reinterpret_cast<const std::byte*>(bits + at / 8));
      zeros -= static_cast<std::size_t>(std::popcount(word));
      at += 64;
    } else {
      zeros -= bit_at(bits, at++) ? 1 : 0;
    }
  }
  return zeros;
}

// The first index from `at` on whose bit is not `bit`, or `end`.
inline std::size_t end_of_run(const std::uint8_t* bits, std::size_t at, std::size_t end, bool bit) {
  while (at < end) {
    if (at % 8 == 0 && end - at >= 64) {
      std::uint64_t word = load_le64(reinterpret_cast<const std::byte*>(bits + at / 8));
      if (bit) word = ~word;
      if (word != 0) return at + static_cast<std::size_t>(std::countr_zero(word));
      at += 64;
    } else {
      if (bit_at(bits, at) != bit) return at;
      ++at;
    }
  }
  return end;
}

// Calls f(is_null, rows) for each run of the rows [at, end), in order. The first has numbers and
// may be empty. `validity`: null: no row is null.
template <class F>
void for_each_run(const std::uint8_t* validity, std::size_t at, std::size_t end, F&& f) {
  for (bool is_null = false; at < end; is_null = !is_null) {
    const std::size_t next = validity == nullptr ? end : end_of_run(validity, at, end, !is_null);
    f(is_null, next - at);
    at = next;
  }
}

}  // namespace numpact::internal::arrow
