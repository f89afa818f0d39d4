// SPDX-License-Identifier: Apache-2.0
// Undoing Lookback by vectors. What a latent refers to lies in memory, in one of the last two
// vectors, or in its own vector. The last makes chains, which are followed by doubling: each lane
// adds up deltas towards an earlier lane, and takes over that lane's sum and aim, so that after
// four rounds at most all aim outside. Only the last step needs the vector before.
#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/delta/lookback_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "pco/delta/lookback.hpp"

HWY_BEFORE_NAMESPACE();
namespace numpact {
namespace HWY_NAMESPACE {

#if HWY_TARGET <= HWY_AVX3

// A vector of lanes that latents are widened to.
template <class L>
struct LatentLanes {
  static constexpr std::size_t kN = 16;
  static constexpr unsigned kRounds = 4;

  static HWY_INLINE __m512i Load(const std::uint32_t* in) { return _mm512_loadu_si512(in); }
  static HWY_INLINE __m512i Load(const std::uint16_t* in) {
    return _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(in)));
  }
  static HWY_INLINE __m512i Load(const std::uint8_t* in) {
    return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in)));
  }
  static HWY_INLINE void Store(__m512i lanes, std::uint32_t* out) {
    _mm512_storeu_si512(out, lanes);
  }
  static HWY_INLINE void Store(__m512i lanes, std::uint16_t* out) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm512_cvtepi32_epi16(lanes));
  }
  static HWY_INLINE void Store(__m512i lanes, std::uint8_t* out) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm512_cvtepi32_epi8(lanes));
  }

  static HWY_INLINE __m512i Lookbacks(const std::uint32_t* in) { return _mm512_loadu_si512(in); }
  static HWY_INLINE __m512i Iota() {
    return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  }
  static HWY_INLINE __m512i Set(std::size_t value) {
    return _mm512_set1_epi32(static_cast<int>(value));
  }
  static HWY_INLINE __m512i Add(__m512i a, __m512i b) { return _mm512_add_epi32(a, b); }
  static HWY_INLINE __m512i Sub(__m512i a, __m512i b) { return _mm512_sub_epi32(a, b); }
  static HWY_INLINE unsigned Has(__m512i a, __m512i bits) {
    return _mm512_test_epi32_mask(a, bits);
  }
  static HWY_INLINE unsigned Below(__m512i a, __m512i b) { return _mm512_cmplt_epu32_mask(a, b); }
  static HWY_INLINE __m512i Select(unsigned mask, __m512i yes, __m512i no) {
    return _mm512_mask_mov_epi32(no, static_cast<__mmask16>(mask), yes);
  }
  static HWY_INLINE __m512i AddWhere(unsigned mask, __m512i a, __m512i b) {
    return _mm512_mask_add_epi32(a, static_cast<__mmask16>(mask), a, b);
  }
  static HWY_INLINE __m512i Permute(__m512i a, __m512i aims) {
    return _mm512_permutexvar_epi32(aims, a);
  }
  static HWY_INLINE __m512i PermuteTwo(__m512i a, __m512i b, __m512i aims) {
    return _mm512_permutex2var_epi32(a, aims, b);
  }
  // What lies above a narrow latent is cut off when it is stored.
  static HWY_INLINE __m512i Gather(unsigned mask, __m512i indices, const L* from) {
    return _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), static_cast<__mmask16>(mask),
                                       indices, from, sizeof(L));
  }
};

template <>
struct LatentLanes<std::uint64_t> {
  static constexpr std::size_t kN = 8;
  static constexpr unsigned kRounds = 3;

  static HWY_INLINE __m512i Load(const std::uint64_t* in) { return _mm512_loadu_si512(in); }
  static HWY_INLINE void Store(__m512i lanes, std::uint64_t* out) {
    _mm512_storeu_si512(out, lanes);
  }
  static HWY_INLINE __m512i Lookbacks(const std::uint32_t* in) {
    return _mm512_cvtepu32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(in)));
  }
  static HWY_INLINE __m512i Iota() { return _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7); }
  static HWY_INLINE __m512i Set(std::size_t value) {
    return _mm512_set1_epi64(static_cast<long long>(value));
  }
  static HWY_INLINE __m512i Add(__m512i a, __m512i b) { return _mm512_add_epi64(a, b); }
  static HWY_INLINE __m512i Sub(__m512i a, __m512i b) { return _mm512_sub_epi64(a, b); }
  static HWY_INLINE unsigned Has(__m512i a, __m512i bits) {
    return _mm512_test_epi64_mask(a, bits);
  }
  static HWY_INLINE unsigned Below(__m512i a, __m512i b) { return _mm512_cmplt_epu64_mask(a, b); }
  static HWY_INLINE __m512i Select(unsigned mask, __m512i yes, __m512i no) {
    return _mm512_mask_mov_epi64(no, static_cast<__mmask8>(mask), yes);
  }
  static HWY_INLINE __m512i AddWhere(unsigned mask, __m512i a, __m512i b) {
    return _mm512_mask_add_epi64(a, static_cast<__mmask8>(mask), a, b);
  }
  static HWY_INLINE __m512i Permute(__m512i a, __m512i aims) {
    return _mm512_permutexvar_epi64(aims, a);
  }
  static HWY_INLINE __m512i PermuteTwo(__m512i a, __m512i b, __m512i aims) {
    return _mm512_permutex2var_epi64(a, aims, b);
  }
  static HWY_INLINE __m512i Gather(unsigned mask, __m512i indices, const std::uint64_t* from) {
    return _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), static_cast<__mmask8>(mask), indices,
                                       from, 8);
  }
};

// Whether all lookbacks are 1 to window_n and none reaches before index 0 of the page.
HWY_INLINE bool AllInside(std::size_t window_n, std::size_t begin, const std::uint32_t* lookbacks,
                          std::size_t n) {
  const __m512i ones = _mm512_set1_epi32(1);
  __m512i most = _mm512_setzero_si512();
  for (std::size_t i = 0; i < n; i += 16) {
    const std::size_t lane_n = std::min<std::size_t>(16, n - i);
    const auto lanes = static_cast<__mmask16>(0xffffU >> (16 - lane_n));
    const __m512i some = _mm512_maskz_loadu_epi32(lanes, lookbacks + i);
    most = _mm512_mask_max_epu32(most, lanes, most, _mm512_sub_epi32(some, ones));
  }
  const std::size_t longest = _mm512_reduce_max_epu32(most);
  if (longest >= window_n) return false;
  if (longest < begin) return true;
  for (std::size_t i = 0; i < n; ++i) {
    if (lookbacks[i] > begin + i) return false;
  }
  return true;
}

template <class L>
bool Undo(std::size_t window_n, const std::uint32_t* HWY_RESTRICT lookbacks, const L* deltas,
          std::size_t n, LookbackRing<L>& ring, L* one_behind) {
  using V = LatentLanes<L>;
  ring.make_room(n);
  const std::size_t begin = ring.end();
  const std::size_t mask = ring.mask();
  L* const latents = ring.data();
  if (begin == 0 || (begin & mask) + n > mask + 1 || !AllInside(window_n, begin, lookbacks, n)) {
    return false;
  }
  // Aims: 0 and up in the vector before the last one, kN and up in the last one, 2 kN and up in
  // this one, and beyond all of them in memory.
  const __m512i here = V::Add(V::Iota(), V::Set(2 * V::kN));
  const __m512i in_this = V::Set(2 * V::kN);
  const __m512i outside = V::Set(4 * V::kN);
  const __m512i wrap = V::Set(mask);
  L* const out = latents + (begin & mask);
  const __m512i one_earlier = V::Add(V::Iota(), V::Set(V::kN - 1));
  __m512i older = _mm512_setzero_si512();
  // Only its last lane, if any.
  __m512i last = V::Set(latents[(begin - 1) & mask]);
  std::size_t i = 0;
  for (; i + V::kN <= n; i += V::kN) {
    const __m512i back = V::Lookbacks(lookbacks + i);
    __m512i sum = V::Load(deltas + i);
    __m512i aims = V::Sub(here, back);
    // Vectors before the first one are in memory.
    const std::size_t registers_n = std::min<std::size_t>(i, 2 * V::kN);
    const __m512i at = V::Add(V::Iota(), V::Set(registers_n));
    const unsigned far = V::Below(at, back);
    if (far != 0) {
      const __m512i indices = _mm512_and_si512(V::Add(aims, V::Set(begin + i - 2 * V::kN)), wrap);
      sum = V::AddWhere(far, sum, V::Gather(far, indices, latents));
      aims = V::Select(far, outside, aims);
    }
    unsigned near = V::Has(aims, in_this);
    if (near != 0) {
      HWY_UNROLL(4)
      for (unsigned round = 0; round < V::kRounds; ++round) {
        sum = V::AddWhere(near, sum, V::Permute(sum, aims));
        aims = V::Select(near, V::Permute(aims, aims), aims);
        near = V::Has(aims, in_this);
      }
    }
    sum = V::AddWhere(V::Below(aims, in_this), sum, V::PermuteTwo(older, last, aims));
    V::Store(sum, out + i);
    if (one_behind != nullptr) V::Store(V::PermuteTwo(last, sum, one_earlier), one_behind + i);
    older = last;
    last = sum;
  }
  for (; i < n; ++i) {
    const L delta = deltas[i];  // where the one behind may go
    if (one_behind != nullptr) one_behind[i] = latents[(begin + i - 1) & mask];
    out[i] = static_cast<L>(delta + latents[(begin + i - lookbacks[i]) & mask]);
  }
  ring.advance(n);
  return true;
}

#else

template <class L>
bool Undo(std::size_t, const std::uint32_t*, const L*, std::size_t, LookbackRing<L>&, L*) {
  return false;
}

#endif

#define NUMPACT_KERNEL(L, S)                                                              \
  bool Lookback##S(std::size_t window_n, const std::uint32_t* lookbacks, const L* deltas, \
                   std::size_t n, LookbackRing<L>& ring, L* one_behind) {                 \
    return Undo(window_n, lookbacks, deltas, n, ring, one_behind);                        \
  }
NUMPACT_KERNEL(std::uint8_t, 8)
NUMPACT_KERNEL(std::uint16_t, 16)
NUMPACT_KERNEL(std::uint32_t, 32)
NUMPACT_KERNEL(std::uint64_t, 64)
#undef NUMPACT_KERNEL

}  // namespace HWY_NAMESPACE
}  // namespace numpact
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/dispatch.hpp"

namespace numpact {

#define NUMPACT_DOOR(L, S)                                                                     \
  NUMPACT_EXPORT(Lookback##S);                                                                 \
  template <>                                                                                  \
  bool undo_lookback<L>(std::size_t window_n, const std::uint32_t* lookbacks, const L* deltas, \
                        std::size_t n, LookbackRing<L>& ring, L* one_behind) {                 \
    return NUMPACT_DISPATCH(Lookback##S)(window_n, lookbacks, deltas, n, ring, one_behind);    \
  }
NUMPACT_DOOR(std::uint8_t, 8)
NUMPACT_DOOR(std::uint16_t, 16)
NUMPACT_DOOR(std::uint32_t, 32)
NUMPACT_DOOR(std::uint64_t, 64)
#undef NUMPACT_DOOR

}  // namespace numpact
#endif
