// SPDX-License-Identifier: Apache-2.0
// Conversion of single values: from each stored form to the bits of a float32, and from these to
// the type of the output. The formulas are those of cvc/compression.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

#include "base/internal.hpp"
#include "cvc/compression/half.hpp"
#include "cvc/compression/planes.hpp"
#include "cvc/compression/steps.hpp"
#include "gpu/cvc/access.hpp"
#include "gpu/cvc/tasks.hpp"
#include "gpu/host_device.hpp"

namespace numpact::gpu {

template <Out kOut>
using OutBits = std::conditional_t<kOut == Out::kFloat, std::uint32_t, std::uint16_t>;

// cvc::half_of and cvc::bfloat_of. GPUs round with one instruction, which returns one canonical NaN
// for every NaN.
NUMPACT_HD std::uint16_t half_of_float(float value) {
#if defined(__CUDA_ARCH__)
  if (value == value) return __half_as_ushort(__float2half_rn(value));
#endif
  return cvc::half_of(value);
}
NUMPACT_HD std::uint16_t bfloat_of_float(float value) {
#if defined(__CUDA_ARCH__)
  if (value == value) return __bfloat16_as_ushort(__float2bfloat16_rn(value));
#endif
  return cvc::bfloat_of(value);
}

template <Out kOut>
NUMPACT_HD OutBits<kOut> out_of(std::uint32_t bits) {
  if constexpr (kOut == Out::kFloat) return bits;
  if constexpr (kOut == Out::kHalf) return half_of_float(std::bit_cast<float>(bits));
  if constexpr (kOut == Out::kBFloat) return bfloat_of_float(std::bit_cast<float>(bits));
}

// half_to_float without branches. The half is shifted into a float, subnormal or not, and
// multiplied by 2^112, the difference of the biases. Infinities and NaNs, the largest exponent, are
// corrected.
NUMPACT_HD std::uint32_t bits_of_half(std::uint32_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16;
  const std::uint32_t magnitude = half & 0x7fffu;
  const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
  const std::uint32_t exponent = magnitude >= 0x7c00u ? 0x7f800000u : 0u;
  return std::bit_cast<std::uint32_t>(scaled) | exponent | sign;
}

// Converts a stored half, bfloat16 or float. If input and output have the same type, the bits are
// returned as they are.
template <Form kForm, Out kOut>
NUMPACT_HD OutBits<kOut> out_of_stored(std::uint32_t stored) {
  const auto half = static_cast<std::uint16_t>(stored);
  if constexpr (kForm == Form::kHalf && kOut == Out::kHalf) return half;
  if constexpr (kForm == Form::kBFloat && kOut == Out::kBFloat) return half;
  if constexpr (kForm == Form::kHalf) {
    return out_of<kOut>(bits_of_half(half));
  }
  if constexpr (kForm == Form::kBFloat) return out_of<kOut>(stored << 16);
  if constexpr (kForm == Form::kFloat) return out_of<kOut>(stored);
}

// The NaN that processors of this architecture return for 0 * infinity and infinity - infinity.
#if defined(__x86_64__) || defined(__i386__)
inline constexpr std::uint32_t kInvalidBits = 0xffc00000u;
#else
inline constexpr std::uint32_t kInvalidBits = 0x7fc00000u;
#endif

NUMPACT_HD bool is_nan(float value) { return value != value; }

// The result of value_of_code if it is NaN. GPUs return one canonical NaN for all operations; this
// returns the NaN that the CPU would.
NUMPACT_HD std::uint32_t nan_of_code(std::uint32_t code, float min, float scale) {
  constexpr std::uint32_t kQuiet = 0x00400000u;
  if (is_nan(scale)) return std::bit_cast<std::uint32_t>(scale) | kQuiet;
  // 0 times an infinite scale is NaN.
  const bool is_product = code != 0 || scale - scale == 0;
  return is_product && is_nan(min) ? std::bit_cast<std::uint32_t>(min) | kQuiet : kInvalidBits;
}

template <Out kOut, unsigned kN>
NUMPACT_HD void out_of_codes(const std::uint32_t (&codes)[kN], const float (&mins)[kN],
                             const float (&scales)[kN], OutBits<kOut> (&out)[kN]) {
  std::uint32_t bits[kN];
  bool has_nan = false;
  NUMPACT_UNROLL
  for (unsigned k = 0; k < kN; ++k) {
    const float value = cvc::value_of_code(static_cast<std::uint8_t>(codes[k]), mins[k], scales[k]);
    bits[k] = std::bit_cast<std::uint32_t>(value);
    has_nan = has_nan || is_nan(value);
  }
  if (has_nan) {  // one branch for all values
    NUMPACT_UNROLL
    for (unsigned k = 0; k < kN; ++k) {
      if (is_nan(std::bit_cast<float>(bits[k])))
        bits[k] = nan_of_code(codes[k], mins[k], scales[k]);
    }
  }
  NUMPACT_UNROLL
  for (unsigned k = 0; k < kN; ++k) out[k] = out_of<kOut>(bits[k]);
}

// The byte of a code of a plane. Sets `is_bad` if the code is past the dictionary.
NUMPACT_HD std::uint32_t byte_of_code(const PlaneCodes& plane, std::uint32_t code, bool& is_bad) {
  if (plane.is_plain != 0) return code;
  is_bad = is_bad || code >= plane.entries;
  return load_byte(plane.dictionary + code);
}

// Codes i to i + 3, the first in the highest bits. Packed codes are big-endian, so the loaded words
// are byte-swapped.
NUMPACT_HD std::uint32_t four_codes(const PlaneCodes& plane, std::uint32_t i) {
  const std::uint32_t bit = plane.first_bit + i * plane.width;
  const std::byte* const at = plane.words + std::size_t{bit / 32} * 4;
  const auto byte_swapped = [](std::uint32_t word) {
    return word << 24 | (word & 0xff00u) << 8 | (word >> 8 & 0xff00u) | word >> 24;
  };
  const std::uint64_t words =
      std::uint64_t{byte_swapped(load_word(at))} << 32 | byte_swapped(load_word(at + 4));
  return static_cast<std::uint32_t>(words << bit % 32 >> (64 - 4 * plane.width));
}

NUMPACT_HD std::uint32_t code_of_four(std::uint32_t codes, unsigned k, unsigned width) {
  return codes >> ((3 - k) * width) & ((1u << width) - 1);
}

// The bits of float values i to i + 3.
NUMPACT_HD void four_of_planes(const Planes& planes, std::uint32_t i, std::uint32_t* bits,
                               bool& is_bad) {
  for (unsigned k = 0; k < 4; ++k) bits[k] = 0;
  NUMPACT_UNROLL
  for (unsigned p = 0; p < cvc::kPlanes; ++p) {
    const PlaneCodes& plane = planes.plane[p];
    const std::uint32_t codes = four_codes(plane, i);
    NUMPACT_UNROLL
    for (unsigned k = 0; k < 4; ++k) {
      bits[k] |= byte_of_code(plane, code_of_four(codes, k, plane.width), is_bad) << (8 * p);
    }
  }
}

NUMPACT_HD std::uint32_t one_of_planes(const Planes& planes, std::uint32_t i, bool& is_bad) {
  std::uint32_t bits = 0;
  for (unsigned p = 0; p < cvc::kPlanes; ++p) {
    const PlaneCodes& plane = planes.plane[p];
    const std::uint32_t bit = plane.first_bit + i * plane.width;
    const std::byte* const at = plane.words + bit / 8;
    const bool has_more = bit % 8 + plane.width > 8;
    const std::uint32_t both = load_byte(at) << 8 | (has_more ? load_byte(at + 1) : 0);
    const std::uint32_t code = both >> (16 - bit % 8 - plane.width) & ((1u << plane.width) - 1);
    bits |= byte_of_code(plane, code, is_bad) << (8 * p);
  }
  return bits;
}

}  // namespace numpact::gpu
