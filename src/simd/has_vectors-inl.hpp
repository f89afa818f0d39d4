// SPDX-License-Identifier: Apache-2.0
// Whether the target has vectors. Included once per target, by kernels only.
#if defined(NUMPACT_SIMD_HAS_VECTORS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef NUMPACT_SIMD_HAS_VECTORS_INL_HPP
#undef NUMPACT_SIMD_HAS_VECTORS_INL_HPP
#else
#define NUMPACT_SIMD_HAS_VECTORS_INL_HPP
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

// False for Highway's one-lane targets, where a scalar loop is faster.
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
constexpr bool kHasVectors = false;
#else
constexpr bool kHasVectors = true;
#endif

}  // namespace HWY_NAMESPACE
}  // namespace numpact::internal
HWY_AFTER_NAMESPACE();

#endif
