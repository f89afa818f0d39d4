// SPDX-License-Identifier: Apache-2.0
#include "simd/targets.hpp"
// Must follow targets.hpp.
#include <hwy/highway.h>

#include <cstdint>
#include <initializer_list>

#include "simd/cpu_features.hpp"

#if HWY_ARCH_X86
#ifdef _MSC_VER
#include <intrin.h>
#else
#include <cpuid.h>
#endif
#endif

namespace numpact::internal::simd {

#if HWY_ARCH_X86
namespace {

// CPUID result registers: Intel SDM, volume 2A, CPUID; AMD APM, volume 3, appendix E.
struct CpuId {
  std::uint32_t eax = 0;
  std::uint32_t ebx = 0;
  std::uint32_t ecx = 0;
  std::uint32_t edx = 0;
};

// All zero if the processor does not support the leaf.
CpuId cpu_id(std::uint32_t leaf) {
  CpuId id;
#ifdef _MSC_VER
  int registers[4];
  __cpuid(registers, static_cast<int>(leaf & 0x80000000u));
  if (static_cast<std::uint32_t>(registers[0]) < leaf) return id;
  __cpuidex(registers, static_cast<int>(leaf), 0);
  id.eax = static_cast<std::uint32_t>(registers[0]);
  id.ebx = static_cast<std::uint32_t>(registers[1]);
  id.ecx = static_cast<std::uint32_t>(registers[2]);
  id.edx = static_cast<std::uint32_t>(registers[3]);
#else
  __get_cpuid_count(leaf, 0, &id.eax, &id.ebx, &id.ecx, &id.edx);
#endif
  return id;
}

// Register states saved by the operating system at a context switch (XCR0). Only valid if CPUID
// reports the instruction.
std::uint64_t saved_registers() {
#ifdef _MSC_VER
  return _xgetbv(0);
#else
  std::uint32_t low;
  std::uint32_t high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return std::uint64_t{high} << 32 | low;
#endif
}

constexpr std::uint32_t bits(std::initializer_list<unsigned> places) {
  std::uint32_t all = 0;
  for (const unsigned place : places) all |= std::uint32_t{1} << place;
  return all;
}

constexpr bool has(std::uint32_t from, std::uint32_t required) {
  return (from & required) == required;
}

// The features that Highway enables for each of its targets (hwy/ops/set_macros-inl.h), as bits of
// leaf 1, leaf 7 and leaf 0x80000001.
// SSE3, PCLMULQDQ, SSSE3, SSE4.1, SSE4.2, POPCNT (which compilers use with SSE4.2), AES
constexpr std::uint32_t kSse4Ecx1 = bits({0, 1, 9, 19, 20, 23, 25});
constexpr std::uint32_t kOsSavesEcx1 = bits({27});
constexpr std::uint32_t kAvx2Ecx1 = bits({12, 28, 29});          // FMA, AVX, F16C
constexpr std::uint32_t kAvx2Ebx7 = bits({3, 5, 8});             // BMI, AVX2, BMI2
constexpr std::uint32_t kAvx2EcxExtended = bits({5});            // LZCNT
constexpr std::uint32_t kAvx3Ebx7 = bits({16, 17, 28, 30, 31});  // F, DQ, CD, BW, VL
// VBMI, VBMI2, GFNI, VAES, VPCLMULQDQ, VNNI, BITALG, VPOPCNTDQ
constexpr std::uint32_t kAvx3DlEcx7 = bits({1, 6, 8, 9, 10, 11, 12, 14});

constexpr std::uint64_t kYmmState = 0x6;   // XMM, YMM
constexpr std::uint64_t kZmmState = 0xE6;  // XMM, YMM, masks, ZMM

std::int64_t detected() {
  std::int64_t targets = 0;
  const CpuId one = cpu_id(1);
#ifdef HWY_SSE2
  if (has(one.edx, bits({25, 26}))) targets |= HWY_SSE2;
#endif
  if (!has(one.ecx, kSse4Ecx1)) return targets;
  targets |= HWY_SSE4;
  const CpuId seven = cpu_id(7);
  const CpuId extended = cpu_id(0x80000001u);
  if (!has(one.ecx, kAvx2Ecx1 | kOsSavesEcx1) || !has(seven.ebx, kAvx2Ebx7) ||
      !has(extended.ecx, kAvx2EcxExtended)) {
    return targets;
  }
  const std::uint64_t saved = saved_registers();
  if ((saved & kYmmState) != kYmmState) return targets;
  targets |= HWY_AVX2;
  if ((saved & kZmmState) != kZmmState || !has(seven.ebx, kAvx3Ebx7)) return targets;
  targets |= HWY_AVX3;
  if (has(seven.ecx, kAvx3DlEcx7)) targets |= HWY_AVX3_DL;
  return targets;
}

}  // namespace

std::int64_t supported_targets() {
  static const std::int64_t supported = detected() | HWY_STATIC_TARGET | HWY_SCALAR | HWY_EMU128;
  return supported & HWY_TARGETS;
}
#elif (HWY_TARGETS & (HWY_TARGETS - 1)) == 0
std::int64_t supported_targets() { return HWY_TARGETS; }
#else
std::int64_t supported_targets() { return hwy::SupportedTargets() & HWY_TARGETS; }
#endif

}  // namespace numpact::internal::simd
