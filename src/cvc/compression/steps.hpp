// SPDX-License-Identifier: Apache-2.0
// Uniform quantization: codes of 8 or 4 bits for equal steps of a range. The functions on one value
// define the results of the loops, which are compiled for every instruction set.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/round_to_even.hpp"

namespace numpact::cvc::internal {

// The product is rounded before the addition: no fused multiply-add.
constexpr float value_of_code(std::uint8_t code, float min, float scale) {
  const float product = static_cast<float>(code) * scale;
  return product + min;
}

// Rounds to nearest, ties to the even code. The value is inside the range, the scale above 0; NaN
// gives 0.
inline std::uint8_t code_of_value(float value, float min, float scale, float max_code = 255) {
  const float code = numpact::internal::round_to_even((value - min) / scale);
  if (!(code > 0)) return 0;
  return static_cast<std::uint8_t>(code > max_code ? max_code : code);
}

// The meaning of codes: min + code * scale.
struct StepRange {
  float min = 0;
  float scale = 1;
  bool is_finite() const { return std::isfinite(min) && std::isfinite(scale); }
  // Whether all codes are 0.
  bool all_codes_zero() const { return !is_finite() || scale == 0; }
};

// The range for codes 0 to `max_code` of values from `low` to `high`. Integers whose range fits the
// codes get a scale of 1, which stores them exactly. If values or the width are not finite, both
// fields are NaN, and all values decode to NaN.
StepRange fit_steps(float low, float high, bool is_finite, bool is_integer, unsigned max_code);

struct ValueRange {
  float low = 0;
  float high = 0;
  bool has_nan = false;  // if true, low and high mean nothing
};

// `codes` and `values` must not overlap. `streams`: use non-temporal stores.
void codes_to_values(const std::byte* codes, std::size_t n, float min, float scale, float* values,
                     bool streams = false);
void values_to_codes(const float* values, std::size_t n, float min, float scale,
                     std::uint8_t* codes);
// n is at least 1.
ValueRange range_of(const float* values, std::size_t n);

// ---- a range for each dimension: value i of a row has ranges[i] ----

// `mins`, `scales`: n floats each, at any address.
void dim_codes_to_values(const std::byte* codes, std::size_t n, const std::byte* mins,
                         const std::byte* scales, float* values);
// Two codes per byte, the low half first; starts with the low half of the first byte.
void dim_nibbles_to_values(const std::byte* nibbles, std::size_t n, const std::byte* mins,
                           const std::byte* scales, float* values);
// Scales are above 0; an infinite one gives code 0.
void dim_values_to_codes(const float* values, std::size_t n, const float* mins, const float* scales,
                         float max_code, std::uint8_t* codes);

// The range of each dimension's values so far.
struct DimRanges {
  float* low;
  float* high;
  float* poison;  // NaN after a non-finite value, 0 before
};
void widen_ranges(const float* values, std::size_t n, const DimRanges& ranges);

}  // namespace numpact::cvc::internal
