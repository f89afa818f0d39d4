// SPDX-License-Identifier: Apache-2.0
// Codes of one byte for even steps of a range. The functions on one value define the loops, which
// are compiled for every instruction set.
#ifndef NUMPACT_CVC_CODEC_STEPS_HPP
#define NUMPACT_CVC_CODEC_STEPS_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace numpact::cvc {

// The product is rounded before the sum: no fused multiply-add.
constexpr float value_of_code(std::uint8_t code, float min, float scale) {
  const float product = static_cast<float>(code) * scale;
  return product + min;
}

// Halves go to the even code. For finite values of a range, and a scale above 0.
inline std::uint8_t code_of_value(float value, float min, float scale) {
  const float code = std::nearbyint((value - min) / scale);
  return static_cast<std::uint8_t>(code < 0 ? 0 : code > 255 ? 255 : code);
}

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

}  // namespace numpact::cvc

#endif
