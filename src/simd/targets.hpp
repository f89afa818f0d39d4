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

#endif
