// SPDX-License-Identifier: Apache-2.0
// Which instruction sets kernels are compiled for. Included before Highway by every *_kernel.cpp.
#ifndef NUMPACT_SIMD_TARGETS_HPP
#define NUMPACT_SIMD_TARGETS_HPP

// SSSE3 alone gains nothing over the portable target.
#define HWY_DISABLED_TARGETS HWY_SSSE3
#define HWY_WANT_AVX3_DL

#endif
