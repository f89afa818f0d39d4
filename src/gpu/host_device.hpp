// SPDX-License-Identifier: Apache-2.0
// NUMPACT_HD marks functions that are compiled for the GPU and for the CPU (tests, emulation).
#pragma once

#if defined(__CUDACC__)
#define NUMPACT_HD __host__ __device__ __forceinline__
#else
#define NUMPACT_HD inline
#endif

// These functions may call constexpr functions of other layers (nvcc option
// --expt-relaxed-constexpr), but no other host functions.
