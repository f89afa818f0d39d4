// SPDX-License-Identifier: Apache-2.0
// Functions that are compiled for the GPU and for the CPU, where tests and the emulation run them.
#ifndef NUMPACT_GPU_HOST_DEVICE_HPP
#define NUMPACT_GPU_HOST_DEVICE_HPP

#if defined(__CUDACC__)
#define NUMPACT_HD __host__ __device__ __forceinline__
#else
#define NUMPACT_HD inline
#endif

// Constexpr functions of other layers are called from these as they are (nvcc's option
// --expt-relaxed-constexpr); nothing else of the host's may be.

#endif
