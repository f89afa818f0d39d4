// SPDX-License-Identifier: Apache-2.0
// Choosing among the instruction sets that kernels were compiled for.
//
// Highway's own choice belongs to the whole process; numpact's is its own, so that forcing one
// (NUMPACT_TARGET, force_cpu_target) does not touch other users of Highway. On x86 the tables and
// the detection are numpact's, too: Highway's headers suffice there, and a program is linked
// without its library. Included after Highway, by the part of a kernel file that is compiled once.
#ifndef NUMPACT_SIMD_DISPATCH_HPP
#define NUMPACT_SIMD_DISPATCH_HPP

#include <cstddef>

namespace numpact::simd {

// The index in a table of NUMPACT_EXPORT of the instruction set in use. The environment is read
// once, at the first call. Thread-safe.
std::size_t target_index();

}  // namespace numpact::simd

// NUMPACT_EXPORT(F): the table of the versions of a function, which takes no templates.
// NUMPACT_DISPATCH(F): the version that is in use.
#if HWY_IDE || ((HWY_TARGETS & (HWY_TARGETS - 1)) == 0)
#define NUMPACT_EXPORT(F) HWY_EXPORT(F)
#define NUMPACT_DISPATCH(F) HWY_STATIC_DISPATCH(F)
#elif HWY_ARCH_X86
// The order of kInOrder (cpu_features.hpp). A null pointer stands for one that is not compiled.
#ifdef HWY_CHOOSE_SSE2
#define NUMPACT_CHOOSE_SSE2(F) HWY_CHOOSE_SSE2(F)
#else
#define NUMPACT_CHOOSE_SSE2(F) nullptr
#endif
#define NUMPACT_EXPORT(F)                                                \
  static decltype(&HWY_STATIC_DISPATCH(F)) const F##Versions[] = {       \
      HWY_CHOOSE_AVX3_DL(F), HWY_CHOOSE_AVX3(F),     HWY_CHOOSE_AVX2(F), \
      HWY_CHOOSE_SSE4(F),    NUMPACT_CHOOSE_SSE2(F), HWY_CHOOSE_FALLBACK(F)}
#define NUMPACT_DISPATCH(F) (*F##Versions[::numpact::simd::target_index()])
#else
#define NUMPACT_EXPORT(F) HWY_EXPORT(F)
#define NUMPACT_DISPATCH(F) (*(HWY_DISPATCH_TABLE(F)[::numpact::simd::target_index()]))
#endif

#endif
