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

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/internal.hpp"

namespace numpact::cvc::internal {

inline constexpr unsigned kRotationRounds = 3;

// ---- loops, compiled for every instruction set; all give the same bits ----

// Rotates n values in place.
void rotate(float* values, std::size_t n, std::uint64_t seed);
// The inverse, up to rounding.
void rotate_back(float* values, std::size_t n, std::uint64_t seed);
// The code of a value is the count of thresholds up to it.
void count_thresholds(const float* values, std::size_t n, std::span<const float> thresholds,
                      std::uint8_t* codes);

}  // namespace numpact::cvc::internal
