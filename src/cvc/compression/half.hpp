// SPDX-License-Identifier: Apache-2.0
// Half precision and bfloat16, with the NaNs that CVC files have. The functions on one value define
// the loops, which are compiled for every instruction set.
#ifndef NUMPACT_CVC_COMPRESSION_HALF_HPP
#define NUMPACT_CVC_COMPRESSION_HALF_HPP

#include <bit>
#include <cstddef>
#include <cstdint>

#include "number/float_traits.hpp"

namespace numpact::cvc {

// From here up magnitudes round to infinity.
inline constexpr float kHalfOverflow = 65520.0f;

// Rounds to nearest, ties to even. NaNs keep their sign and the top of their payload, or get 1 for
// it: a signalling one is not made quiet. half_to_float, the way back, is exact.
constexpr std::uint16_t half_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) <= 0x7f800000u) return float_to_half(value);
  const std::uint32_t payload = (bits >> 13) & 0x3ffu;
  return static_cast<std::uint16_t>((bits >> 16 & 0x8000u) | 0x7c00u |
                                    (payload != 0 ? payload : 1u));
}

// Rounded once.
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

constexpr float bfloat_to_float(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

// Cut to fewer bits, the last of which is set if any was lost: rounding that to much fewer bits is
// rounding the value itself, once.
float sticky_float(double value);
constexpr double sticky_double(double value) { return value; }
constexpr double sticky_double(std::int32_t value) { return value; }
constexpr double sticky_double(std::int64_t value) {
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  if (value >= -kExact && value <= kExact) return static_cast<double>(value);
  const std::int64_t low = value & 0xffffffff;
  return static_cast<double>((value - low) | (low != 0 ? 0x80000000 : 0));
}

// `halves` at any address. `streams`: past the caches.
void halves_to_floats(const std::byte* halves, std::size_t n, float* out, bool streams = false);
// How many finite values became infinite is returned.
std::size_t floats_to_halves(const float* values, std::size_t n, std::uint16_t* out);
std::size_t floats_to_bfloats(const float* values, std::size_t n, std::uint16_t* out);
void bfloats_to_floats(const std::byte* bfloats, std::size_t n, float* out, bool streams = false);

}  // namespace numpact::cvc

#endif
