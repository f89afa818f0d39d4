// SPDX-License-Identifier: Apache-2.0
// Looking for bytes that may be the head of a chunk.
#ifndef NUMPACT_PCO_STANDALONE_HEAD_SCAN_HPP
#define NUMPACT_PCO_STANDALONE_HEAD_SCAN_HPP

#include <array>
#include <cstddef>
#include <cstdint>

namespace numpact::standalone {

// Three of the four bytes of a head: where a mask is 0, any byte does.
struct HeadPattern {
  static constexpr std::size_t kBytes = 3;
  static constexpr std::array<std::size_t, kBytes> kAt{0, 2, 3};
  std::array<std::uint8_t, kBytes> masks{};
  std::array<std::uint8_t, kBytes> bytes{};
};

// How many of the n positions from `at` on can be passed since no head starts there; maybe not all
// that can. n + 3 bytes must be readable. A kernel.
std::size_t pass_no_heads(const HeadPattern& pattern, const std::byte* at, std::size_t n);

}  // namespace numpact::standalone

#endif
