// SPDX-License-Identifier: Apache-2.0
// Search for bytes that may be the head of a chunk.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace numpact::internal::standalone {

// The required bits of the first and the last byte of a head: byte kAt[i] of a head, masked by
// masks[i], equals bytes[i].
struct HeadPattern {
  static constexpr std::size_t kBytes = 2;
  static constexpr std::array<std::size_t, kBytes> kAt{0, 3};
  std::array<std::uint8_t, kBytes> masks{};
  std::array<std::uint8_t, kBytes> bytes{};
};

// Returns how many of the n positions from `at` on can be skipped because no head starts there. The
// count ends at the first position that matches; the last positions, fewer than a vector, are not
// searched. n + 3 bytes must be readable. A kernel.
std::size_t skip_non_heads(const HeadPattern& pattern, const std::byte* at, std::size_t n);

}  // namespace numpact::internal::standalone
