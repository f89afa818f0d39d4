// SPDX-License-Identifier: Apache-2.0
// Compaction by AVX-512 compress; other targets go value by value without branches.
#include "pco/stats/nonzero.hpp"

#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/stats/nonzero_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "simd/lane_count-inl.hpp"

#if NUMPACT_VECTOR_KERNEL
HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86  // other targets have no fast compress

HWY_INLINE void StoreWords(__m512i words, std::uint32_t* to) { _mm512_storeu_si512(to, words); }
HWY_INLINE void StoreWords(__m512i words, std::uint16_t* to) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtepi32_epi16(words));
}
HWY_INLINE void StoreWords(__m512i words, std::uint8_t* to) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi32_epi8(words));
}

// Processes whole vectors; returns how many counts that were. `size` grows by the nonzero ones.
template <class L>
HWY_INLINE std::size_t TakeNonzeroVectors(std::uint32_t* counts, std::size_t n, L lower, L* values,
                                          std::size_t& size) {
  if constexpr (sizeof(L) == 8) {
    return 0;
  } else {
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i value = _mm512_add_epi32(lanes, _mm512_set1_epi32(static_cast<int>(lower)));
    std::size_t i = 0;
    for (; i + 16 <= n; i += 16) {
      const __m512i loaded = _mm512_loadu_si512(counts + i);
      const __mmask16 is_nonzero = _mm512_test_epi32_mask(loaded, loaded);
      StoreWords(_mm512_maskz_compress_epi32(is_nonzero, value), values + size);
      _mm512_storeu_si512(counts + size, _mm512_maskz_compress_epi32(is_nonzero, loaded));
      size += CountLanes(is_nonzero);
      value = _mm512_add_epi32(value, _mm512_set1_epi32(16));
    }
    return i;
  }
}

#else

template <class L>
std::size_t TakeNonzeroVectors(std::uint32_t*, std::size_t, L, L*, std::size_t&) {
  return 0;
}

#endif

template <class L>
std::size_t TakeNonzero(std::uint32_t* counts, std::size_t n, L lower, L* values) {
  std::size_t size = 0;
  for (std::size_t i = TakeNonzeroVectors(counts, n, lower, values, size); i < n; ++i) {
    const std::uint32_t count = counts[i];
    values[size] = static_cast<L>(lower + i);
    counts[size] = count;
    size += count > 0 ? 1 : 0;
  }
  return size;
}

#define NUMPACT_KERNEL(L, S)                                                             \
  std::size_t TakeNonzero##S(std::uint32_t* counts, std::size_t n, L lower, L* values) { \
    return TakeNonzero(counts, n, lower, values);                                        \
  }
NUMPACT_KERNEL(std::uint8_t, 8)
NUMPACT_KERNEL(std::uint16_t, 16)
NUMPACT_KERNEL(std::uint32_t, 32)
NUMPACT_KERNEL(std::uint64_t, 64)
#undef NUMPACT_KERNEL

}  // namespace HWY_NAMESPACE
}  // namespace numpact::internal
HWY_AFTER_NAMESPACE();
#endif  // NUMPACT_VECTOR_KERNEL

#if HWY_ONCE
#include "simd/dispatch.hpp"

namespace numpact::internal {

#define NUMPACT_ENTRY(L, S)                                                               \
  NUMPACT_EXPORT_VECTOR(TakeNonzero##S);                                                  \
  template <>                                                                             \
  std::size_t take_nonzero<L>(std::span<std::uint32_t> counts, L lower, L * values) {     \
    return NUMPACT_DISPATCH(TakeNonzero##S)(counts.data(), counts.size(), lower, values); \
  }
NUMPACT_ENTRY(std::uint8_t, 8)
NUMPACT_ENTRY(std::uint16_t, 16)
NUMPACT_ENTRY(std::uint32_t, 32)
NUMPACT_ENTRY(std::uint64_t, 64)
#undef NUMPACT_ENTRY

}  // namespace numpact::internal
#endif
