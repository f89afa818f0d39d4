// SPDX-License-Identifier: Apache-2.0
// Scratch memory of encoding.
#pragma once

#include <cstdint>

#include "numpact/types.hpp"
#include "pco/levels.hpp"

namespace numpact::internal {

// Maximum scratch memory of encoding a run of n numbers: tables, whose size does not depend on the
// numbers, and copies of the numbers with positions, counts, symbols and lookbacks of each. Up to
// level 8 the most that was ever seen is 38 bytes per number of one byte and 74 per number of
// eight, above it 81 and 208; tests/unit/scratch_test.cpp checks that a quarter is left.
inline std::uint64_t encoding_bytes(NumberType type, std::uint64_t n, unsigned level) {
  // Bytes of the tables; measured together with what follows.
  constexpr std::uint64_t kTableBytes = std::uint64_t{2} << 20;
  const ScratchLevel& row = level_row(level).scratch;
  return kTableBytes + n * (row.copies * size_of(type) + row.other_bytes);
}

}  // namespace numpact::internal
