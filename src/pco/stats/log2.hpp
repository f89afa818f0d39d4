// SPDX-License-Identifier: Apache-2.0
// A fast logarithm for cost estimates. It uses integer and float operations in a fixed order only,
// so every processor and target makes the same choices and writes the same bytes.
#pragma once

#include <bit>
#include <cstdint>

namespace numpact::internal {

// The largest error of fast_log2(): 3.84e-5 over all positive, normal floats.
inline constexpr float kMaxFastLog2Error = 4e-5f;

// log2 of a positive, normal float.
constexpr float fast_log2(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  const float exponent = static_cast<float>(static_cast<std::int32_t>(bits >> 23) - 127);
  const float m = std::bit_cast<float>((bits & 0x7fffffu) | 0x3f800000u);
  // Exact at powers of two; between them a fitted cubic.
  const float q = ((0.0453004f * m - 0.2861662f) * m + 0.7053137f) * m - 0.9066997f;
  return exponent + (m - 1.0f) * (1.0f + (m - 2.0f) * q);
}

// Binary entropy, in bits, of an event with probability `share`, 0 to 1.
inline float entropy(float share) {
  const float other = 1 - share;
  float bits = share > 0 ? -share * fast_log2(share) : 0;
  bits -= other > 0 ? other * fast_log2(other) : 0;
  return bits;
}

}  // namespace numpact::internal
