// SPDX-License-Identifier: Apache-2.0
// Prefix sums within a vector. Included once per target, by kernels only.
#if defined(NUMPACT_SIMD_SUMS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef NUMPACT_SIMD_SUMS_INL_HPP
#undef NUMPACT_SIMD_SUMS_INL_HPP
#else
#define NUMPACT_SIMD_SUMS_INL_HPP
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

#if HWY_TARGET <= HWY_AVX3

// Shifts lanes up by kBy, filling with zeros.
template <int kBy, class V>
HWY_INLINE V UpLanes(V v) {
  using L = hn::TFromV<V>;
  const __m512i zero = _mm512_setzero_si512();
  if constexpr (sizeof(L) == 8) return V{_mm512_alignr_epi64(v.raw, zero, 8 - kBy)};
  if constexpr (sizeof(L) == 4) return V{_mm512_alignr_epi32(v.raw, zero, 16 - kBy)};
  constexpr int kBytes = kBy * static_cast<int>(sizeof(L));
  if constexpr (kBytes < 16) return V{_mm512_bslli_epi128(v.raw, kBytes)};  // within 128-bit blocks
  return v;
}

// Broadcasts the last lane.
HWY_INLINE __m512i LastLane(__m512i v, std::uint64_t) {
  return _mm512_permutexvar_epi64(_mm512_set1_epi64(7), v);
}
HWY_INLINE __m512i LastLane(__m512i v, std::uint32_t) {
  return _mm512_permutexvar_epi32(_mm512_set1_epi32(15), v);
}
HWY_INLINE __m512i LastLane(__m512i v, std::uint16_t) {
  return _mm512_permutexvar_epi16(_mm512_set1_epi16(31), v);
}
HWY_INLINE __m512i LastLane(__m512i v, std::uint8_t) {
  return _mm512_shuffle_epi8(_mm512_shuffle_i64x2(v, v, 0xff), _mm512_set1_epi8(15));
}

// For narrow lanes, whose prefix sums were computed within 128-bit blocks: adds the totals of the
// lower blocks.
template <class D, class V>
HWY_INLINE V AddBlocksBelow(D, V v) {
  using L = hn::TFromD<D>;
  const __m512i zero = _mm512_setzero_si512();
  const __m512i last = sizeof(L) == 1 ? _mm512_set1_epi8(15) : _mm512_set1_epi16(0x0f0e);
  const V ends{_mm512_shuffle_epi8(v.raw, last)};
  const V one{_mm512_alignr_epi64(ends.raw, zero, 6)};
  const V two = hn::Add(one, V{_mm512_alignr_epi64(one.raw, zero, 6)});
  const V three = hn::Add(one, V{_mm512_alignr_epi64(two.raw, zero, 6)});
  return hn::Add(v, three);
}

#endif

// Inclusive prefix sum, by log-step shifts and additions: after step k each lane holds the sum of
// the 2^k lanes that end at it. Example with four lanes:
//   a        b        c          d
//   a       a+b      b+c        c+d        after adding the vector shifted by 1
//   a       a+b     a+b+c     a+b+c+d      after adding the vector shifted by 2
template <class D, class V>
HWY_INLINE V InclusiveSum(D d, V v) {
  using L = hn::TFromD<D>;
#if HWY_TARGET <= HWY_AVX3
  v = hn::Add(v, UpLanes<1>(v));
  v = hn::Add(v, UpLanes<2>(v));
  v = hn::Add(v, UpLanes<4>(v));
  if constexpr (sizeof(L) == 4) v = hn::Add(v, UpLanes<8>(v));
  if constexpr (sizeof(L) == 1) v = hn::Add(v, UpLanes<8>(v));
  if constexpr (sizeof(L) <= 2) v = AddBlocksBelow(d, v);
  return v;
#else
  v = hn::Add(v, hn::ShiftLeftLanes<1>(d, v));
  if constexpr (sizeof(L) <= 4) v = hn::Add(v, hn::ShiftLeftLanes<2>(d, v));
  if constexpr (sizeof(L) <= 2) v = hn::Add(v, hn::ShiftLeftLanes<4>(d, v));
  if constexpr (sizeof(L) <= 1) v = hn::Add(v, hn::ShiftLeftLanes<8>(d, v));
#if HWY_TARGET == HWY_AVX2
  // The total of the lower 128-bit block, broadcast to the upper one.
  const V low{_mm256_permute2x128_si256(v.raw, v.raw, 0x08)};
  __m256i carry;
  if constexpr (sizeof(L) == 8) carry = _mm256_shuffle_epi32(low.raw, 0xee);
  if constexpr (sizeof(L) == 4) carry = _mm256_shuffle_epi32(low.raw, 0xff);
  if constexpr (sizeof(L) == 2) carry = _mm256_shuffle_epi8(low.raw, _mm256_set1_epi16(0x0f0e));
  if constexpr (sizeof(L) == 1) carry = _mm256_shuffle_epi8(low.raw, _mm256_set1_epi8(15));
  v = hn::Add(v, V{carry});
#endif
  return v;
#endif
}

template <class D, class V>
HWY_INLINE V BroadcastLast(D d, V v) {
  using L [[maybe_unused]] = hn::TFromD<D>;
#if HWY_TARGET <= HWY_AVX3
  (void)d;
  return V{LastLane(v.raw, L{})};
#elif HWY_TARGET == HWY_AVX2
  (void)d;
  if constexpr (sizeof(L) == 8) return V{_mm256_permute4x64_epi64(v.raw, 0xff)};
  const __m256i high = _mm256_permute2x128_si256(v.raw, v.raw, 0x11);
  if constexpr (sizeof(L) == 4) return V{_mm256_shuffle_epi32(high, 0xff)};
  if constexpr (sizeof(L) == 2) return V{_mm256_shuffle_epi8(high, _mm256_set1_epi16(0x0f0e))};
  return V{_mm256_shuffle_epi8(high, _mm256_set1_epi8(15))};
#else
  return hn::Set(d, hn::ExtractLane(v, hn::Lanes(d) - 1));
#endif
}

#endif

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace numpact::internal
HWY_AFTER_NAMESPACE();

#endif
