// SPDX-License-Identifier: Apache-2.0
// The instruction sets that kernels are compiled for. Included before Highway by every
// *_kernel.cpp.
#pragma once

// The build may leave out instruction sets of x86 (NUMPACT_SIMD_TARGETS in cmake/Targets.cmake).
// The compiler's baseline is never left out, since processors without the other sets run it.
#ifdef NUMPACT_WITHOUT_AVX512_VBMI2
#define NUMPACT_LEFT_OUT_AVX3_DL HWY_AVX3_DL
#else
#define NUMPACT_LEFT_OUT_AVX3_DL 0
#endif
#ifdef NUMPACT_WITHOUT_AVX512
#define NUMPACT_LEFT_OUT_AVX3 HWY_AVX3
#else
#define NUMPACT_LEFT_OUT_AVX3 0
#endif
#ifdef NUMPACT_WITHOUT_AVX2
#define NUMPACT_LEFT_OUT_AVX2 HWY_AVX2
#else
#define NUMPACT_LEFT_OUT_AVX2 0
#endif
#ifdef NUMPACT_WITHOUT_SSE4
#define NUMPACT_LEFT_OUT_SSE4 HWY_SSE4
#else
#define NUMPACT_LEFT_OUT_SSE4 0
#endif
#define NUMPACT_LEFT_OUT \
  (NUMPACT_LEFT_OUT_AVX3_DL | NUMPACT_LEFT_OUT_AVX3 | NUMPACT_LEFT_OUT_AVX2 | NUMPACT_LEFT_OUT_SSE4)

// SSSE3 alone gains nothing over the portable target; targets above AVX3_DL (the lower bits) gain
// nothing over it, because kernels do not distinguish them. Kernels do not support vectors of
// unknown length (SVE, and RVV of RISC-V).
#if defined(__aarch64__) || defined(_M_ARM64) || defined(__arm__)
#define HWY_DISABLED_TARGETS (HWY_NEON - 1)
#else
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | (HWY_AVX3_DL - 1) | HWY_RVV | NUMPACT_LEFT_OUT)
#endif
#define HWY_WANT_AVX3_DL

// Whether a kernel has a version of its own for HWY_TARGET: the body of a kernel is compiled only
// where the condition of its kind holds, and the table of that kind (dispatch.hpp) takes the next
// lower version for the others.
//
// NUMPACT_VECTOR_KERNEL: vectors, but none of the instructions that VBMI and VBMI2 add. The code
// for AVX3_DL would be that for AVX3.
#define NUMPACT_VECTOR_KERNEL (HWY_TARGET != HWY_AVX3_DL || (HWY_TARGETS & HWY_AVX3) == 0)
// NUMPACT_SCALAR_KERNEL: scalar code, except for AVX3_DL. AVX2 brings BMI2; neither AVX3 nor SSE4
// brings any scalar instruction that helps.
#define NUMPACT_SCALAR_KERNEL                                    \
  (!(HWY_TARGET == HWY_AVX3 && (HWY_TARGETS & HWY_AVX2) != 0) && \
   !(HWY_TARGET == HWY_SSE4 && HWY_TARGET != HWY_STATIC_TARGET))

// Highway's argument checks call its library, which is not linked on x86.
#if !defined(HWY_IS_DEBUG_BUILD) && \
    (defined(__x86_64__) || defined(_M_X64) || defined(__i386__) || defined(_M_IX86))
#define HWY_IS_DEBUG_BUILD 0
#endif
