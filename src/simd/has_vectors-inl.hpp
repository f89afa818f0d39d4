// SPDX-License-Identifier: Apache-2.0
// Whether the instruction set has vectors at all. Included once for each instruction set, by
// kernels only.
#if defined(NUMPACT_SIMD_HAS_VECTORS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef NUMPACT_SIMD_HAS_VECTORS_INL_HPP
#undef NUMPACT_SIMD_HAS_VECTORS_INL_HPP
#else
#define NUMPACT_SIMD_HAS_VECTORS_INL_HPP
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace numpact {
namespace HWY_NAMESPACE {

// False for Highway's one-lane targets, where the scalar loop is the better code.
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
constexpr bool kHasVectors = false;
#else
constexpr bool kHasVectors = true;
#endif

}  // namespace HWY_NAMESPACE
}  // namespace numpact
HWY_AFTER_NAMESPACE();

#endif
