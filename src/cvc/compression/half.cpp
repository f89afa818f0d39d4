// SPDX-License-Identifier: Apache-2.0
#include "cvc/compression/half.hpp"
#include "base/internal.hpp"

#include <cmath>

namespace numpact::cvc::internal {

std::uint16_t half_of(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint32_t>(bits >> 48 & 0x8000u);
  const auto exponent = static_cast<int>(bits >> 52 & 0x7ffu);
  const std::uint64_t mantissa = bits & 0xfffffffffffffu;
  if (exponent == 0x7ff) {
    const auto payload = static_cast<std::uint32_t>(mantissa >> 42);
    const std::uint32_t kept = mantissa == 0 || payload != 0 ? payload : 1u;
    return static_cast<std::uint16_t>(sign | 0x7c00u | kept);
  }
  constexpr int kBias = 1023;
  const int power = exponent - kBias;
  if (power >= 16) return static_cast<std::uint16_t>(sign | 0x7c00u);
  if (power < -25) return static_cast<std::uint16_t>(sign);  // below half the smallest half
  // The spacing of halves is 2^(power - 10), but at least 2^-24 (subnormal).
  const int shift = power >= -14 ? 42 : 42 + (-14 - power);
  const std::uint64_t whole = mantissa | std::uint64_t{1} << 52;
  const std::uint64_t kept = whole >> shift;
  const std::uint64_t rest = whole & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  const std::uint64_t up = rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0;
  // A carry out of the mantissa correctly increments the exponent.
  const std::uint64_t base = power >= -14 ? static_cast<std::uint64_t>(power + 14) << 10 : 0;
  return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(base + kept + up));
}

float round_to_odd_float(double value) {
  const auto near = static_cast<float>(value);  // to nearest
  if (static_cast<double>(near) == value || std::isnan(value)) return near;
  // `near` may have a larger magnitude than the value: step back towards zero, then set the last
  // bit because bits were lost.
  auto bits = std::bit_cast<std::uint32_t>(near);
  if (std::fabs(static_cast<double>(near)) > std::fabs(value)) --bits;
  return std::bit_cast<float>(bits | 1u);
}

}  // namespace numpact::cvc::internal
