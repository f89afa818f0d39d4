// SPDX-License-Identifier: Apache-2.0
// Scratch memory of encoding.
#pragma once

#include <cstdint>

#include "numpact/types.hpp"

namespace numpact::internal {

// Maximum scratch memory of encoding a run of n numbers: tables, whose size does not depend on the
// numbers, and copies of the numbers with positions, counts, symbols and lookbacks of each. Up to
// level 8 the most that was ever seen is 38 bytes per number of one byte and 74 per number of
// eight, above it 81 and 208; tests/unit/scratch_test.cpp checks that a quarter is left.
constexpr std::uint64_t encoding_bytes(NumberType type, std::uint64_t n, unsigned level) {
  constexpr std::uint64_t kTableBytes = std::uint64_t{2} << 20;
  constexpr unsigned kMaxUsualLevel = 8;  // above it several encodings are compared
  const bool is_usual = level <= kMaxUsualLevel;
  const std::uint64_t copies = is_usual ? 8 : 24;
  const std::uint64_t others = is_usual ? 48 : 112;
  return kTableBytes + n * (copies * size_of(type) + others);
}

}  // namespace numpact::internal
