// SPDX-License-Identifier: Apache-2.0
// Which instruction sets kernels are compiled for. Included before Highway by every *_kernel.cpp.
#ifndef NUMPACT_SIMD_TARGETS_HPP
#define NUMPACT_SIMD_TARGETS_HPP

// SSSE3 alone gains nothing over the portable target, nor do those above (the lower bits) over the
// best one that kernels tell apart. Vectors of unknown length (SVE) are nothing that they know.
#if defined(__aarch64__) || defined(_M_ARM64) || defined(__arm__)
#define HWY_DISABLED_TARGETS (HWY_NEON - 1)
#else
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | (HWY_AVX3_DL - 1))
#endif
#define HWY_WANT_AVX3_DL

// Highway's checks of its own arguments call its library, which is not linked on x86.
#if !defined(HWY_IS_DEBUG_BUILD) && \
    (defined(__x86_64__) || defined(_M_X64) || defined(__i386__) || defined(_M_IX86))
#define HWY_IS_DEBUG_BUILD 0
#endif

#endif
