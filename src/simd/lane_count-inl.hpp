// SPDX-License-Identifier: Apache-2.0
// Lanes of masks. Included once for each instruction set, by kernels only.
#if defined(NUMPACT_SIMD_LANE_COUNT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef NUMPACT_SIMD_LANE_COUNT_INL_HPP
#undef NUMPACT_SIMD_LANE_COUNT_INL_HPP
#else
#define NUMPACT_SIMD_LANE_COUNT_INL_HPP
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace numpact {
namespace HWY_NAMESPACE {

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86

// Of 8 or 16 lanes those that a comparison found.
template <class Mask>
HWY_INLINE std::uint32_t LaneBits(Mask lanes) {
  static_assert(sizeof(Mask) <= sizeof(__mmask16));
#if HWY_COMPILER_GCC_ACTUAL
  // GCC 12 widens masks in mask registers, may put 16 bits of one aside, as around the calls of a
  // sanitizer, and takes back 32.
  std::uint32_t bits;
  __asm__("kmovw %1, %0" : "=r"(bits) : "k"(lanes));
#else
  const std::uint32_t bits = lanes;
#endif
  constexpr std::uint32_t kAll = (std::uint32_t{1} << 8 * sizeof(Mask)) - 1;
  return bits & kAll;
}

// How many they are.
template <class Mask>
HWY_INLINE std::size_t CountLanes(Mask lanes) {
  return static_cast<std::size_t>(_mm_popcnt_u32(LaneBits(lanes)));
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace numpact
HWY_AFTER_NAMESPACE();

#endif
