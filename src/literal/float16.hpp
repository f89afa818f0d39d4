// SPDX-License-Identifier: Apache-2.0
// Converts half-precision numbers to floats and back.
#pragma once

#include <bit>
#include <cstdint>

#include "numpact/types.hpp"

namespace numpact::internal {

// Exact. A NaN keeps its payload.
inline float to_float(Float16 number) {
  const std::uint32_t sign = static_cast<std::uint32_t>(number.bits >> 15) << 31;
  const std::uint32_t exponent = (number.bits >> 10) & 0x1f;
  const std::uint32_t mantissa = number.bits & 0x3ff;
  if (exponent == 0) {  // zero or subnormal: mantissa * 2^-24
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | sign);
  }
  const std::uint32_t wide = exponent == 0x1f ? 0xff : exponent + 127 - 15;
  return std::bit_cast<float>(sign | (wide << 23) | (mantissa << 13));
}

// Rounds to nearest, ties to even. A NaN keeps the upper bits of its payload and stays a NaN.
inline Float16 to_float16(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  const std::uint32_t sign = (bits >> 16) & 0x8000;
  const std::uint32_t magnitude = bits & 0x7fffffff;
  std::uint32_t half = 0;
  if (magnitude > 0x7f800000) {
    half = 0x7c00 | ((magnitude >> 13) & 0x3ff);
    if (half == 0x7c00) half = 0x7e00;
  } else if (magnitude >= 0x477ff000) {  // rounds to 2^16 or more
    half = 0x7c00;
  } else if (magnitude >= 0x38800000) {  // normal
    const std::uint32_t rounded = magnitude + 0xfff + ((magnitude >> 13) & 1);
    half = (rounded - 0x38000000) >> 13;
  } else {  // adding 0.5 leaves the rounded multiple of 2^-24 in the lowest bits
    const float sum = std::bit_cast<float>(magnitude) + 0.5f;
    half = std::bit_cast<std::uint32_t>(sum) - std::bit_cast<std::uint32_t>(0.5f);
  }
  return Float16{static_cast<std::uint16_t>(sign | half)};
}

}  // namespace numpact::internal
