// SPDX-License-Identifier: Apache-2.0
// Codes of 8 or 4 bits for even steps of a range. The functions on one value define the loops,
// which are compiled for every instruction set.
#ifndef NUMPACT_CVC_COMPRESSION_STEPS_HPP
#define NUMPACT_CVC_COMPRESSION_STEPS_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace numpact::cvc {

// The product is rounded before the sum: no fused multiply-add.
constexpr float value_of_code(std::uint8_t code, float min, float scale) {
  const float product = static_cast<float>(code) * scale;
  return product + min;
}

// Halves go to the even code. For values of a range and a scale above 0; NaN: 0.
inline std::uint8_t code_of_value(float value, float min, float scale, float most = 255) {
  const float code = std::nearbyint((value - min) / scale);
  if (!(code > 0)) return 0;
  return static_cast<std::uint8_t>(code > most ? most : code);
}

// What codes stand for: min + code * scale.
struct StepRange {
  float min = 0;
  float scale = 1;
  bool is_finite() const { return std::isfinite(min) && std::isfinite(scale); }
  // All codes are 0.
  bool is_flat() const { return !is_finite() || scale == 0; }
};

// Codes 0 to `most` for values of a range. Whole numbers that lie close enough are kept as they
// are. Not finite: NaN for all.
StepRange fit_steps(float low, float high, bool is_finite, bool is_whole, unsigned most);

struct ValueRange {
  float low = 0;
  float high = 0;
  bool has_nan = false;  // then the others say nothing
};

// `codes` and `values` must not overlap. `streams`: past the caches.
void codes_to_values(const std::byte* codes, std::size_t n, float min, float scale, float* values,
                     bool streams = false);
void values_to_codes(const float* values, std::size_t n, float min, float scale,
                     std::uint8_t* codes);
// Of at least one value.
ValueRange range_of(const float* values, std::size_t n);

// ---- a range for each dimension: value i of a row has ranges[i] ----

// `ranges`: n minima, `scales`: n scales, as floats at any address.
void dim_codes_to_values(const std::byte* codes, std::size_t n, const std::byte* mins,
                         const std::byte* scales, float* values);
// Two codes a byte, from the low half of the first one on.
void dim_nibbles_to_values(const std::byte* nibbles, std::size_t n, const std::byte* mins,
                           const std::byte* scales, float* values);
// For scales above 0; one that is infinite gives code 0.
void dim_values_to_codes(const float* values, std::size_t n, const float* mins, const float* scales,
                         float most, std::uint8_t* codes);

// What was seen of each dimension so far.
struct DimRanges {
  float* low;
  float* high;
  float* poison;  // NaN once there was a value that is not finite; 0 until then
};
void widen_ranges(const float* values, std::size_t n, const DimRanges& ranges);

}  // namespace numpact::cvc

#endif
