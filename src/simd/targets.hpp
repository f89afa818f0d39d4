// SPDX-License-Identifier: Apache-2.0
// The instruction sets that kernels are compiled for. Included before Highway by every
// *_kernel.cpp.
#pragma once

// SSSE3 alone gains nothing over the portable target; targets above AVX3_DL (the lower bits) gain
// nothing over it, because kernels do not distinguish them. Kernels do not support vectors of
// unknown length (SVE).
#if defined(__aarch64__) || defined(_M_ARM64) || defined(__arm__)
#define HWY_DISABLED_TARGETS (HWY_NEON - 1)
#else
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | (HWY_AVX3_DL - 1))
#endif
#define HWY_WANT_AVX3_DL

// Highway's argument checks call its library, which is not linked on x86.
#if !defined(HWY_IS_DEBUG_BUILD) && \
    (defined(__x86_64__) || defined(_M_X64) || defined(__i386__) || defined(_M_IX86))
#define HWY_IS_DEBUG_BUILD 0
#endif
