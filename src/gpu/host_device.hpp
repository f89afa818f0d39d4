// SPDX-License-Identifier: Apache-2.0
// NUMPACT_HD marks functions that are compiled for the GPU and for the CPU (tests, emulation), and
// NUMPACT_NOT_UNROLLED loops that the compiler of GPUs shall keep as they are.
#pragma once

#if defined(__CUDACC__)
#define NUMPACT_HD __host__ __device__ __forceinline__
#else
#define NUMPACT_HD inline
#endif

// The compiler of the host's half of CUDA sources does not know the pragma.
#if defined(__CUDA_ARCH__)
#define NUMPACT_NOT_UNROLLED _Pragma("unroll 1")
#else
#define NUMPACT_NOT_UNROLLED
#endif

// These functions may call constexpr functions of other layers (nvcc option
// --expt-relaxed-constexpr), but no other host functions.
