// SPDX-License-Identifier: Apache-2.0
// Scratch memory of encoding.
#pragma once

#include <cstdint>

#include "numpact/types.hpp"

namespace numpact::internal {

// Maximum scratch memory of encoding a run of n numbers, at any level: tables, whose size does not
// depend on the numbers, and copies of the numbers with what is known of each. Measured by
// tests/programs/scratch_bound.cpp over modes, delta encodings and levels, with a margin.
constexpr std::uint64_t encoding_bytes(NumberType type, std::uint64_t n) {
  constexpr std::uint64_t kTableBytes = std::uint64_t{8} << 20;
  constexpr std::uint64_t kCopies = 8;           // of the numbers
  constexpr std::uint64_t kBytesPerNumber = 48;  // positions, counts, symbols, lookbacks
  return kTableBytes + n * (kCopies * size_of(type) + kBytesPerNumber);
}

}  // namespace numpact::internal
