// SPDX-License-Identifier: Apache-2.0
// Compaction by AVX-512 compress; other targets go latent by latent without branches.
#include "pco/stats/run_starts.hpp"

#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/stats/run_starts_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "simd/lane_count-inl.hpp"

#if NUMPACT_VECTOR_KERNEL
HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86  // other targets have no fast compress

// Stores the latents of a vector that differ from the latent before them, and their positions,
// which count from `first`. Compressing in registers and storing whole vectors is faster than
// compressing stores.
HWY_INLINE std::size_t TakeStarts(const std::uint32_t* at, std::uint32_t first,
                                  std::uint32_t* values, std::uint32_t* starts) {
  const __m512i loaded = _mm512_loadu_si512(at);
  const __mmask16 differs = _mm512_cmpneq_epu32_mask(loaded, _mm512_loadu_si512(at - 1));
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i positions = _mm512_add_epi32(lanes, _mm512_set1_epi32(static_cast<int>(first)));
  _mm512_storeu_si512(values, _mm512_maskz_compress_epi32(differs, loaded));
  _mm512_storeu_si512(starts, _mm512_maskz_compress_epi32(differs, positions));
  return CountLanes(differs);
}
HWY_INLINE std::size_t TakeStarts(const std::uint64_t* at, std::uint32_t first,
                                  std::uint64_t* values, std::uint32_t* starts) {
  const __m512i loaded = _mm512_loadu_si512(at);
  const __mmask8 differs = _mm512_cmpneq_epu64_mask(loaded, _mm512_loadu_si512(at - 1));
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i positions = _mm256_add_epi32(lanes, _mm256_set1_epi32(static_cast<int>(first)));
  _mm512_storeu_si512(values, _mm512_maskz_compress_epi64(differs, loaded));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(starts),
                      _mm256_maskz_compress_epi32(differs, positions));
  return CountLanes(differs);
}

// Processes whole vectors from the second latent on; returns the first index not processed.
template <class L>
HWY_INLINE std::size_t TakeStartVectors(const L* sorted, std::size_t n, L* values,
                                        std::uint32_t* starts, std::size_t& size) {
  constexpr std::size_t kLanes = 64 / sizeof(L);
  std::size_t i = 1;
  for (; i + kLanes <= n; i += kLanes) {
    size += TakeStarts(sorted + i, static_cast<std::uint32_t>(i), values + size, starts + size);
  }
  return i;
}

#else

template <class L>
std::size_t TakeStartVectors(const L*, std::size_t, L*, std::uint32_t*, std::size_t&) {
  return 1;
}

#endif

template <class L>
std::size_t RunStarts(const L* HWY_RESTRICT sorted, std::size_t n, L* HWY_RESTRICT values,
                      std::uint32_t* HWY_RESTRICT starts) {
  values[0] = sorted[0];
  starts[0] = 0;
  std::size_t size = 1;
  for (std::size_t i = TakeStartVectors(sorted, n, values, starts, size); i < n; ++i) {
    values[size] = sorted[i];
    starts[size] = static_cast<std::uint32_t>(i);
    size += sorted[i] != sorted[i - 1] ? 1 : 0;
  }
  return size;
}

std::size_t RunStarts32(const std::uint32_t* sorted, std::size_t n, std::uint32_t* values,
                        std::uint32_t* starts) {
  return RunStarts(sorted, n, values, starts);
}
std::size_t RunStarts64(const std::uint64_t* sorted, std::size_t n, std::uint64_t* values,
                        std::uint32_t* starts) {
  return RunStarts(sorted, n, values, starts);
}
}  // namespace HWY_NAMESPACE
}  // namespace numpact::internal
HWY_AFTER_NAMESPACE();
#endif  // NUMPACT_VECTOR_KERNEL

#if HWY_ONCE
#include "simd/dispatch.hpp"

namespace numpact::internal {

NUMPACT_EXPORT_VECTOR(RunStarts32);
NUMPACT_EXPORT_VECTOR(RunStarts64);

std::size_t run_starts(std::span<const std::uint32_t> sorted, std::uint32_t* values,
                       std::uint32_t* starts) {
  return NUMPACT_DISPATCH(RunStarts32)(sorted.data(), sorted.size(), values, starts);
}
std::size_t run_starts(std::span<const std::uint64_t> sorted, std::uint64_t* values,
                       std::uint32_t* starts) {
  return NUMPACT_DISPATCH(RunStarts64)(sorted.data(), sorted.size(), values, starts);
}

}  // namespace numpact::internal
#endif
