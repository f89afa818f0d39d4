// SPDX-License-Identifier: Apache-2.0
// binary16 by arithmetic on doubles: slow and independent of the library's method.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace numpact::testing {

// To nearest, ties to even. NaNs become the quiet NaN without payload.
inline std::uint16_t half_bits(double value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::abs(value);
  if (std::isnan(value)) return 0x7e00 | sign;
  if (magnitude == 0) return sign;
  if (std::isinf(value)) return 0x7c00 | sign;
  const int exponent = std::max(std::ilogb(magnitude), -14);
  const double mantissa = std::nearbyint(std::ldexp(magnitude, 10 - exponent));
  const double bits = (exponent + 14) * 1024.0 + mantissa;
  return static_cast<std::uint16_t>((bits >= 0x7c00 ? 0x7c00 : static_cast<int>(bits)) | sign);
}

// Not for NaNs.
inline double half_value(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int mantissa = bits & 1023;
  const double magnitude = exponent == 31  ? HUGE_VAL
                           : exponent == 0 ? std::ldexp(mantissa, -24)
                                           : std::ldexp(1024 + mantissa, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

}  // namespace numpact::testing
