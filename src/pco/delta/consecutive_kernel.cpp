// SPDX-License-Identifier: Apache-2.0
#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/delta/consecutive_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "pco/delta/consecutive.hpp"

HWY_BEFORE_NAMESPACE();
namespace numpact {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// out[i] = moment + sum of in[0..i); returns the moment plus the sum of all.
template <class L>
L PrefixSumByOne(L moment, L* latents, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const L delta = latents[i];
    latents[i] = moment;
    moment = static_cast<L>(moment + delta);
  }
  return moment;
}

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

#if HWY_TARGET <= HWY_AVX3

// Lanes moved up by kBy, zeros below.
template <int kBy, class V>
HWY_INLINE V UpLanes(V v) {
  using L = hn::TFromV<V>;
  const __m512i zero = _mm512_setzero_si512();
  if constexpr (sizeof(L) == 8) return V{_mm512_alignr_epi64(v.raw, zero, 8 - kBy)};
  if constexpr (sizeof(L) == 4) return V{_mm512_alignr_epi32(v.raw, zero, 16 - kBy)};
  constexpr int kBytes = kBy * static_cast<int>(sizeof(L));
  if constexpr (kBytes < 16) return V{_mm512_bslli_epi128(v.raw, kBytes)};  // within blocks
  return v;
}

// All lanes the last one.
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

// For narrow lanes, whose sums were taken within blocks of 128 bits: adds the blocks below.
template <class D, class V>
HWY_INLINE V AddBlocksBelow(D d, V v) {
  using L = hn::TFromD<D>;
  const __m512i zero = _mm512_setzero_si512();
  const __m512i last = sizeof(L) == 1 ? _mm512_set1_epi8(15) : _mm512_set1_epi16(0x0f0e);
  const V ends{_mm512_shuffle_epi8(v.raw, last)};
  const V one{_mm512_alignr_epi64(ends.raw, zero, 6)};
  const V two = hn::Add(one, V{_mm512_alignr_epi64(one.raw, zero, 6)});
  const V three = hn::Add(one, V{_mm512_alignr_epi64(two.raw, zero, 6)});
  (void)d;
  return hn::Add(v, three);
}

#endif

// Sums of each lane and those below.
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
  // The last lane of the lower block, for the upper one.
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
  using L = hn::TFromD<D>;
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

template <class L>
L PrefixSum(L moment, L* HWY_RESTRICT latents, std::size_t n) {
  const hn::ScalableTag<L> d;
  const std::size_t lanes = hn::Lanes(d);
  auto carry = hn::Set(d, moment);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto deltas = hn::LoadU(d, latents + i);
    const auto sums = InclusiveSum(d, deltas);
    hn::StoreU(hn::Add(carry, hn::Sub(sums, deltas)), d, latents + i);
    carry = hn::Add(carry, BroadcastLast(d, sums));
  }
  return PrefixSumByOne(hn::GetLane(carry), latents + i, n - i);
}

// Two orders at once, the higher moment first.
template <class L>
void PrefixSumTwice(L* HWY_RESTRICT moments, L* HWY_RESTRICT latents, std::size_t n) {
  const hn::ScalableTag<L> d;
  const std::size_t lanes = hn::Lanes(d);
  auto low = hn::Set(d, moments[0]);
  auto high = hn::Set(d, moments[1]);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto seconds = hn::LoadU(d, latents + i);
    const auto second_sums = InclusiveSum(d, seconds);
    const auto firsts = hn::Add(high, hn::Sub(second_sums, seconds));
    high = hn::Add(high, BroadcastLast(d, second_sums));
    const auto first_sums = InclusiveSum(d, firsts);
    hn::StoreU(hn::Add(low, hn::Sub(first_sums, firsts)), d, latents + i);
    low = hn::Add(low, BroadcastLast(d, first_sums));
  }
  moments[1] = PrefixSumByOne(hn::GetLane(high), latents + i, n - i);
  moments[0] = PrefixSumByOne(hn::GetLane(low), latents + i, n - i);
}

template <class L>
void Decode(std::span<L> moments, L* latents, std::size_t n) {
  std::size_t j = moments.size();
  for (; j >= 2; j -= 2) PrefixSumTwice(&moments[j - 2], latents, n);
  if (j == 1) moments[0] = PrefixSum(moments[0], latents, n);
}

#else

template <class L>
void Decode(std::span<L> moments, L* latents, std::size_t n) {
  for (std::size_t j = moments.size(); j-- > 0;) {
    moments[j] = PrefixSumByOne(moments[j], latents, n);
  }
}

#endif

template <class L>
void Encode(std::span<L> moments, L* latents, std::size_t n) {
  for (L& moment : moments) {
    moment = n > 0 ? latents[0] : L{0};
    n = n > 0 ? n - 1 : 0;
    for (std::size_t i = 0; i < n; ++i) latents[i] = static_cast<L>(latents[i + 1] - latents[i]);
  }
  for (std::size_t i = 0; i < n; ++i) latents[i] = static_cast<L>(latents[i] + kMid<L>);
}

#define NUMPACT_KERNELS(L, S)                                                                      \
  void Decode##S(std::span<L> moments, L* latents, std::size_t n) { Decode(moments, latents, n); } \
  void Encode##S(std::span<L> moments, L* latents, std::size_t n) { Encode(moments, latents, n); }
NUMPACT_KERNELS(std::uint8_t, 8)
NUMPACT_KERNELS(std::uint16_t, 16)
NUMPACT_KERNELS(std::uint32_t, 32)
NUMPACT_KERNELS(std::uint64_t, 64)
#undef NUMPACT_KERNELS

}  // namespace HWY_NAMESPACE
}  // namespace numpact
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/dispatch.hpp"

namespace numpact {

#define NUMPACT_DOORS(L, S)                                                      \
  HWY_EXPORT(Decode##S);                                                         \
  HWY_EXPORT(Encode##S);                                                         \
  template <>                                                                    \
  void decode_consecutive<L>(std::span<L> moments, L * latents, std::size_t n) { \
    NUMPACT_DISPATCH(Decode##S)(moments, latents, n);                            \
  }                                                                              \
  template <>                                                                    \
  void encode_consecutive<L>(std::span<L> moments, L * latents, std::size_t n) { \
    NUMPACT_DISPATCH(Encode##S)(moments, latents, n);                            \
  }
NUMPACT_DOORS(std::uint8_t, 8)
NUMPACT_DOORS(std::uint16_t, 16)
NUMPACT_DOORS(std::uint32_t, 32)
NUMPACT_DOORS(std::uint64_t, 64)
#undef NUMPACT_DOORS

}  // namespace numpact
#endif
