// SPDX-License-Identifier: Apache-2.0
// Looking for bytes that may be the head of a chunk.
#ifndef NUMPACT_PCO_STANDALONE_HEAD_SCAN_HPP
#define NUMPACT_PCO_STANDALONE_HEAD_SCAN_HPP

#include <array>
#include <cstddef>
#include <cstdint>

namespace numpact::standalone {

// The first and the last byte of a head: the bits that a mask has must be these.
struct HeadPattern {
  static constexpr std::size_t kBytes = 2;
  static constexpr std::array<std::size_t, kBytes> kAt{0, 3};
  std::array<std::uint8_t, kBytes> masks{};
  std::array<std::uint8_t, kBytes> bytes{};
};

// How many of the n positions from `at` on can be passed since no head starts there: up to the
// first that fits, but maybe not all of the last few. n + 3 bytes must be readable. A kernel.
std::size_t pass_no_heads(const HeadPattern& pattern, const std::byte* at, std::size_t n);

}  // namespace numpact::standalone

#endif
