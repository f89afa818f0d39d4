// SPDX-License-Identifier: Apache-2.0
// A random rotation of rows, and the rounding of rotated values. A rotation makes the values of any
// row look normally distributed, so that a few fixed levels suit all rows and dimensions: with as
// many bits searches find more than by a range of each dimension. This is the idea of RaBitQ (Gao
// et al., 2024) and TurboQuant (Zandieh et al., 2025). Nothing is learned from the data.
//
// A round flips the signs of half of the values, drawn from a seed, and applies a Hadamard matrix
// to the first or the last 2^k values, 2^k being the largest power of two up to the dimension d:
//
//   d = 6, 2^k = 4     round 0: values 0 to 3    round 1: values 2 to 5    round 2: values 0 to 3
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/internal.hpp"

namespace numpact::cvc::internal {

inline constexpr unsigned kRotationRounds = 3;
inline constexpr std::size_t kSignsPerWord = 64;
inline constexpr std::uint64_t kScaleBytes = 4;  // in front of the codes of a row
inline constexpr std::uint64_t kSeedBytes = 8;   // behind the mean

// Word k of the random signs: SplitMix64.
constexpr std::uint64_t sign_word(std::uint64_t seed, std::uint64_t k) {
  std::uint64_t word = seed + (k + 1) * 0x9e3779b97f4a7c15u;
  word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9u;
  word = (word ^ word >> 27) * 0x94d049bb133111ebu;
  return word ^ word >> 31;
}

// The level of a code of `bits` bits. Levels have the least mean squared error for normally
// distributed values (Lloyd, Max); those below 0 are the negatives of those above, which are listed
// for 1 to 4 bits.
constexpr float level_of(unsigned bits, unsigned code) {
  constexpr float kUpper[] = {1.0f,    0.4528f, 1.5104f, 0.2451f, 0.7560f,
                              1.3440f, 2.1520f, 0.1284f, 0.3881f, 0.6568f,
                              0.9424f, 1.2562f, 1.6181f, 2.0691f, 2.7326f};
  const unsigned half = 1u << (bits - 1);
  return code >= half ? kUpper[code - 1] : -kUpper[2 * half - 2 - code];
}

// The value of a row from what the rotation back gives. All NaNs are the same, since processors
// make different ones of a sum that has none.
constexpr float value_of_rotated(float rotated, float mean) {
  const float value = rotated + mean;
  return value == value ? value : std::bit_cast<float>(0x7fc00000u);
}

// What the transform of n values multiplies them by.
inline float rotation_factor(std::size_t n) {
  return static_cast<float>(1 / std::sqrt(static_cast<double>(n)));
}

// ---- loops, compiled for every instruction set; all give the same bits ----

// Rotates n values in place.
void rotate(float* values, std::size_t n, std::uint64_t seed);
// The inverse, up to rounding.
void rotate_back(float* values, std::size_t n, std::uint64_t seed);
// The code of a value is the count of thresholds up to it.
void count_thresholds(const float* values, std::size_t n, std::span<const float> thresholds,
                      std::uint8_t* codes);

}  // namespace numpact::cvc::internal
