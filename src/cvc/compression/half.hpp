// SPDX-License-Identifier: Apache-2.0
// Conversions to half precision and bfloat16, with the NaNs of the CVC format. The functions on one
// value define the results of the loops, which are compiled for every instruction set.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/internal.hpp"
#include "number/float_traits.hpp"

namespace numpact::cvc::internal {

// The smallest magnitude that rounds to infinity: halfway between the largest half and 2^16.
inline constexpr float kHalfOverflow = 65520.0f;

// Rounds to nearest, ties to even. NaNs keep their sign and the high bits of their payload, or get
// the payload 1 if these are 0; signalling NaNs stay signalling. half_to_float, the inverse, is
// exact.
constexpr std::uint16_t half_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) <= 0x7f800000u) return float_to_half(value);
  const std::uint32_t payload = (bits >> 13) & 0x3ffu;
  return static_cast<std::uint16_t>((bits >> 16 & 0x8000u) | 0x7c00u |
                                    (payload != 0 ? payload : 1u));
}

// The same, rounded once from a double.
std::uint16_t half_of(double value);

// The same rules with 7 bits of payload.
constexpr std::uint16_t bfloat_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t high = bits >> 16;
  if ((bits & 0x7fffffffu) > 0x7f800000u) {
    return static_cast<std::uint16_t>((high & 0x7fu) != 0 ? high : high | 1u);
  }
  return static_cast<std::uint16_t>((bits + 0x7fffu + (high & 1u)) >> 16);
}

// Round to odd: the value is truncated, and its last bit is set if any bit was lost. Rounding the
// result to nearest with at least two bits less gives the same as rounding the value itself, so no
// value is rounded twice.
float round_to_odd_float(double value);
constexpr double round_to_odd_double(double value) { return value; }
constexpr double round_to_odd_double(std::int32_t value) { return value; }
constexpr double round_to_odd_double(std::int64_t value) {
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  if (value >= -kExact && value <= kExact) return static_cast<double>(value);
  const std::int64_t low = value & 0xffffffff;
  return static_cast<double>((value - low) | (low != 0 ? 0x80000000 : 0));
}

// `halves` may have any address. `streams`: use non-temporal stores.
void halves_to_floats(const std::byte* halves, std::size_t n, float* out, bool streams = false);
// Return how many finite values became infinite.
std::size_t floats_to_halves(const float* values, std::size_t n, std::uint16_t* out);
std::size_t floats_to_bfloats(const float* values, std::size_t n, std::uint16_t* out);
void bfloats_to_floats(const std::byte* bfloats, std::size_t n, float* out, bool streams = false);

}  // namespace numpact::cvc::internal
