// SPDX-License-Identifier: Apache-2.0
// Bit masks and counts of mask lanes. Included once per target, by kernels only.
#if defined(NUMPACT_SIMD_LANE_COUNT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef NUMPACT_SIMD_LANE_COUNT_INL_HPP
#undef NUMPACT_SIMD_LANE_COUNT_INL_HPP
#else
#define NUMPACT_SIMD_LANE_COUNT_INL_HPP
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86

// The set lanes of a mask of 8 or 16 lanes, as bits.
template <class Mask>
HWY_INLINE std::uint32_t LaneBits(Mask lanes) {
  static_assert(sizeof(Mask) <= sizeof(__mmask16));
#if HWY_COMPILER_GCC_ACTUAL
  // GCC 12 widens masks in mask registers: it may spill 16 bits of one (for example around calls of
  // a sanitizer) and reload 32. The explicit move and the final mask avoid garbage bits.
  std::uint32_t bits;
  __asm__("kmovw %1, %0" : "=r"(bits) : "k"(lanes));
#else
  const std::uint32_t bits = lanes;
#endif
  constexpr std::uint32_t kAll = (std::uint32_t{1} << 8 * sizeof(Mask)) - 1;
  return bits & kAll;
}

// The number of set lanes. The intrinsic needs the feature popcnt, which Highway does not
// name: clang 22 refuses it.
template <class Mask>
HWY_INLINE std::size_t CountLanes(Mask lanes) {
  return hwy::PopCount(std::uint64_t{LaneBits(lanes)});
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace numpact::internal
HWY_AFTER_NAMESPACE();

#endif
