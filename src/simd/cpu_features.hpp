// SPDX-License-Identifier: Apache-2.0
// Detects which instruction sets the processor and the operating system support. Include after
// Highway.
#pragma once

#include <array>
#include <cstdint>

namespace numpact::internal::simd {

// Highway's mask of the compiled targets that can run here. Never zero: it contains the target that
// the compiler may use everywhere (HWY_STATIC_TARGET).
std::int64_t supported_targets();

#if HWY_ARCH_X86
// The order of the targets in a table of NUMPACT_EXPORT: best first, portable code last.
#ifndef HWY_SSE2
inline constexpr std::int64_t kSse2 = 0;
#else
inline constexpr std::int64_t kSse2 = HWY_SSE2;
#endif
inline constexpr std::array<std::int64_t, 6> kInOrder = {
    HWY_AVX3_DL, HWY_AVX3, HWY_AVX2, HWY_SSE4, kSse2, HWY_EMU128 | HWY_SCALAR};
#endif

}  // namespace numpact::internal::simd
