// SPDX-License-Identifier: Apache-2.0
// Properties of floats of each width and conversions of half precision, as used by FloatMult and
// FloatQuant.
#pragma once

#include <bit>
#include <cmath>

#include "number/latent.hpp"

namespace numpact::internal {

// The bits of the float with the same value. Signalling NaNs stay such.
constexpr std::uint32_t half_to_float_bits(std::uint16_t half) {
  const std::uint32_t sign = std::uint32_t{half & 0x8000u} << 16;
  const std::uint32_t exponent = (half >> 10) & 31u;
  const std::uint32_t mantissa = half & 0x3ffu;
  if (exponent == 31) return sign | 0x7f800000u | (mantissa << 13);
  if (exponent != 0) return sign | ((exponent + 112) << 23) | (mantissa << 13);
  // Subnormal: mantissa * 2^-24, which a float holds exactly.
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
  return std::bit_cast<std::uint32_t>(magnitude) | sign;
}
// The float with the same value. On i386 signalling NaNs may become quiet: calls return floats in
// the x87 unit.
constexpr float half_to_float(std::uint16_t half) {
  return std::bit_cast<float>(half_to_float_bits(half));
}

// Rounds to nearest, ties to even. NaNs become quiet and keep their sign and upper payload bits.
constexpr std::uint16_t float_to_half(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {
    return static_cast<std::uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
  }
  if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);
  if (magnitude < 0x38800000u) {
    // Below 2^-14: adding 0.5 leaves the correctly rounded subnormal mantissa in the low bits.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u));
  }
  const std::uint32_t odd = (magnitude >> 13) & 1u;
  return static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000u + 0xfffu + odd) >> 13));
}

// Selected by the latent type of the same width.
template <Latent L>
struct FloatTraits;

template <>
struct FloatTraits<std::uint16_t> {
  using Arithmetic = float;  // products are computed in float and rounded once
  static constexpr unsigned kMantissaBits = 10;
  static constexpr Arithmetic to_arithmetic(std::uint16_t bits) { return half_to_float(bits); }
  static constexpr std::uint16_t to_bits(Arithmetic value) { return float_to_half(value); }
};

template <>
struct FloatTraits<std::uint32_t> {
  using Arithmetic = float;
  static constexpr unsigned kMantissaBits = 23;
  static constexpr Arithmetic to_arithmetic(std::uint32_t bits) {
    return std::bit_cast<float>(bits);
  }
  static constexpr std::uint32_t to_bits(Arithmetic value) {
    return std::bit_cast<std::uint32_t>(value);
  }
};

template <>
struct FloatTraits<std::uint64_t> {
  using Arithmetic = double;
  static constexpr unsigned kMantissaBits = 52;
  static constexpr Arithmetic to_arithmetic(std::uint64_t bits) {
    return std::bit_cast<double>(bits);
  }
  static constexpr std::uint64_t to_bits(Arithmetic value) {
    return std::bit_cast<std::uint64_t>(value);
  }
};

template <class L>
concept FloatLatent = Latent<L> && !std::same_as<L, std::uint8_t>;

// The bits of infinity.
template <FloatLatent L>
inline constexpr L kInfinityBits = static_cast<L>(static_cast<L>(kMid<L> - 1) >>
                                                  FloatTraits<L>::kMantissaBits
                                                      << FloatTraits<L>::kMantissaBits);

template <FloatLatent L>
constexpr bool is_nan_bits(L bits) {
  return static_cast<L>(bits & (kMid<L> - 1)) > kInfinityBits<L>;
}

// Stored mantissa bits of a float with `bits` bits; 0 for 8 bits, which has no float type.
constexpr unsigned mantissa_bits(unsigned bits) {
  return bits == 16 ? 10 : bits == 32 ? 23 : bits == 64 ? 52 : 0;
}

}  // namespace numpact::internal
