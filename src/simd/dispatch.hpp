// SPDX-License-Identifier: Apache-2.0
// Choosing among the instruction sets that kernels were compiled for.
//
// Highway's own choice belongs to the whole process; numpact's is its own, so that forcing one
// (NUMPACT_TARGET, force_cpu_target) does not touch other users of Highway. Included after
// Highway, by the part of a kernel file that is compiled once.
#ifndef NUMPACT_SIMD_DISPATCH_HPP
#define NUMPACT_SIMD_DISPATCH_HPP

#include <cstddef>

namespace numpact::simd {

// The index in a table of HWY_EXPORT of the instruction set in use. The environment is read once,
// at the first call. Thread-safe.
std::size_t target_index();

}  // namespace numpact::simd

#if HWY_IDE || ((HWY_TARGETS & (HWY_TARGETS - 1)) == 0)
#define NUMPACT_DISPATCH(F) HWY_DYNAMIC_DISPATCH(F)
#else
#define NUMPACT_DISPATCH(F) (*(HWY_DISPATCH_TABLE(F)[::numpact::simd::target_index()]))
#endif

#endif
