// SPDX-License-Identifier: Apache-2.0
// Selects among the versions of a kernel that were compiled for different instruction sets.
//
// Highway's selection is global to the process. numpact keeps its own, so that forcing a target
// (force_cpu_target) does not affect other users of Highway. On x86, numpact
// also provides tables and detection: Highway's headers suffice, and programs need not link its
// library. Include after Highway, in the part of a kernel file that is compiled once.
#pragma once

#include <cstddef>

namespace numpact::internal::simd {

// The index of the active target in a table of NUMPACT_EXPORT. Thread-safe.
std::size_t target_index();

}  // namespace numpact::internal::simd

// NUMPACT_EXPORT(F): defines the table of the versions of a function, which must not be a template.
// NUMPACT_EXPORT_VECTOR(F), NUMPACT_EXPORT_SCALAR(F): the same for a kernel whose body depends on
// NUMPACT_VECTOR_KERNEL or NUMPACT_SCALAR_KERNEL (targets.hpp).
// NUMPACT_DISPATCH(F): the version for the active target.
#if HWY_IDE || ((HWY_TARGETS & (HWY_TARGETS - 1)) == 0)
#define NUMPACT_EXPORT(F) HWY_EXPORT(F)
#define NUMPACT_EXPORT_VECTOR(F) HWY_EXPORT(F)
#define NUMPACT_EXPORT_SCALAR(F) HWY_EXPORT(F)
#define NUMPACT_DISPATCH(F) HWY_STATIC_DISPATCH(F)
#elif HWY_ARCH_X86
// The order of kInOrder (cpu_features.hpp). Targets that are not compiled have a null pointer.
#ifdef HWY_CHOOSE_SSE2
#define NUMPACT_CHOOSE_SSE2(F) HWY_CHOOSE_SSE2(F)
#else
#define NUMPACT_CHOOSE_SSE2(F) nullptr
#endif
#if HWY_TARGETS & HWY_AVX3
#define NUMPACT_CHOOSE_VECTOR_AVX3_DL(F) HWY_CHOOSE_AVX3(F)
#else
#define NUMPACT_CHOOSE_VECTOR_AVX3_DL(F) HWY_CHOOSE_AVX3_DL(F)
#endif
#if HWY_TARGETS & HWY_AVX2
#define NUMPACT_CHOOSE_SCALAR_AVX3(F) HWY_CHOOSE_AVX2(F)
#else
#define NUMPACT_CHOOSE_SCALAR_AVX3(F) HWY_CHOOSE_AVX3(F)
#endif
#define NUMPACT_TABLE(F) static decltype(&HWY_STATIC_DISPATCH(F)) const F##Versions[]
#define NUMPACT_EXPORT(F)                                                                \
  NUMPACT_TABLE(F) = {HWY_CHOOSE_AVX3_DL(F), HWY_CHOOSE_AVX3(F),     HWY_CHOOSE_AVX2(F), \
                      HWY_CHOOSE_SSE4(F),    NUMPACT_CHOOSE_SSE2(F), HWY_CHOOSE_FALLBACK(F)}
#define NUMPACT_EXPORT_VECTOR(F)                        \
  NUMPACT_TABLE(F) = {NUMPACT_CHOOSE_VECTOR_AVX3_DL(F), \
                      HWY_CHOOSE_AVX3(F),               \
                      HWY_CHOOSE_AVX2(F),               \
                      HWY_CHOOSE_SSE4(F),               \
                      NUMPACT_CHOOSE_SSE2(F),           \
                      HWY_CHOOSE_FALLBACK(F)}
// Scalar code: SSE4 uses the baseline version.
#define NUMPACT_EXPORT_SCALAR(F)                                              \
  NUMPACT_TABLE(F) = {HWY_CHOOSE_AVX3_DL(F),   NUMPACT_CHOOSE_SCALAR_AVX3(F), \
                      HWY_CHOOSE_AVX2(F),      &HWY_STATIC_DISPATCH(F),       \
                      &HWY_STATIC_DISPATCH(F), HWY_CHOOSE_FALLBACK(F)}
#define NUMPACT_DISPATCH(F) (*F##Versions[::numpact::internal::simd::target_index()])
#else
#define NUMPACT_EXPORT(F) HWY_EXPORT(F)
#define NUMPACT_EXPORT_VECTOR(F) HWY_EXPORT(F)
#define NUMPACT_EXPORT_SCALAR(F) HWY_EXPORT(F)
#define NUMPACT_DISPATCH(F) (*(HWY_DISPATCH_TABLE(F)[::numpact::internal::simd::target_index()]))
#endif
