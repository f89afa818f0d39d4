// SPDX-License-Identifier: Apache-2.0
// Decodes Lookback by vectors. The latent that a lane refers to, its source, is in memory, in one
// of the last two vectors, which are still in registers, or in the own vector. Sources in the own
// vector form chains. They are followed by pointer doubling: a lane adds the sum of its source lane
// and takes over the source of that lane, so a chain of 2^r lanes is resolved in r rounds, four at
// most for sixteen lanes. Only the last step needs the previous vectors, so the rounds do not wait
// for them.
//
// Example with four lanes. Sources 0-3 are in the vector before the previous one, 4-7 in the
// previous one, and 8-11 in the own one. Deltas a b c d with the distances 1 1 1 6:
//
//   lane             8      9       10         11
//   start            a->7   b->8    c->9       d->5
//   round 1          a->7   ab->7   bc->8      d->5
//   round 2          a->7   ab->7   abc->7     d->5
//   add the source   a + p[7], ab + p[7], abc + p[7], d + p[5]
#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/delta/lookback_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "pco/delta/lookback.hpp"

#if NUMPACT_VECTOR_KERNEL
HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

#if HWY_TARGET <= HWY_AVX3

// The vector operations on latents, which are widened to 32-bit or 64-bit lanes. kRounds: log2 of
// the lanes.
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
  static HWY_INLINE unsigned TestAny(__m512i a, __m512i bits) {
    return _mm512_test_epi32_mask(a, bits);
  }
  static HWY_INLINE unsigned IsBelow(__m512i a, __m512i b) { return _mm512_cmplt_epu32_mask(a, b); }
  static HWY_INLINE __m512i Select(unsigned mask, __m512i yes, __m512i no) {
    return _mm512_mask_mov_epi32(no, static_cast<__mmask16>(mask), yes);
  }
  static HWY_INLINE __m512i AddWhere(unsigned mask, __m512i a, __m512i b) {
    return _mm512_mask_add_epi32(a, static_cast<__mmask16>(mask), a, b);
  }
  static HWY_INLINE __m512i Permute(__m512i a, __m512i sources) {
    return _mm512_permutexvar_epi32(sources, a);
  }
  static HWY_INLINE __m512i PermuteTwo(__m512i a, __m512i b, __m512i sources) {
    return _mm512_permutex2var_epi32(a, sources, b);
  }
  // The bits above a narrow latent are dropped when it is stored.
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
  static HWY_INLINE unsigned TestAny(__m512i a, __m512i bits) {
    return _mm512_test_epi64_mask(a, bits);
  }
  static HWY_INLINE unsigned IsBelow(__m512i a, __m512i b) { return _mm512_cmplt_epu64_mask(a, b); }
  static HWY_INLINE __m512i Select(unsigned mask, __m512i yes, __m512i no) {
    return _mm512_mask_mov_epi64(no, static_cast<__mmask8>(mask), yes);
  }
  static HWY_INLINE __m512i AddWhere(unsigned mask, __m512i a, __m512i b) {
    return _mm512_mask_add_epi64(a, static_cast<__mmask8>(mask), a, b);
  }
  static HWY_INLINE __m512i Permute(__m512i a, __m512i sources) {
    return _mm512_permutexvar_epi64(sources, a);
  }
  static HWY_INLINE __m512i PermuteTwo(__m512i a, __m512i b, __m512i sources) {
    return _mm512_permutex2var_epi64(a, sources, b);
  }
  static HWY_INLINE __m512i Gather(unsigned mask, __m512i indices, const std::uint64_t* from) {
    return _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), static_cast<__mmask8>(mask), indices,
                                       from, 8);
  }
};

// Whether all lookbacks are in [1, window_n] and none refers to before index 0 of the page.
HWY_INLINE bool AllInRange(std::size_t window_n, std::size_t begin, const std::uint32_t* lookbacks,
                           std::size_t n) {
  const __m512i ones = _mm512_set1_epi32(1);
  __m512i max_distance = _mm512_setzero_si512();
  for (std::size_t i = 0; i < n; i += 16) {
    const std::size_t lane_n = std::min<std::size_t>(16, n - i);
    const auto lanes = static_cast<__mmask16>(0xffffU >> (16 - lane_n));
    const __m512i loaded = _mm512_maskz_loadu_epi32(lanes, lookbacks + i);
    max_distance =
        _mm512_mask_max_epu32(max_distance, lanes, max_distance, _mm512_sub_epi32(loaded, ones));
  }
  const std::size_t longest = _mm512_reduce_max_epu32(max_distance);
  if (longest >= window_n) return false;
  if (longest < begin) return true;
  for (std::size_t i = 0; i < n; ++i) {
    if (lookbacks[i] > begin + i) return false;
  }
  return true;
}

template <class L>
bool Undo(std::size_t window_n, const std::uint32_t* HWY_RESTRICT lookbacks, const L* deltas,
          std::size_t n, LookbackRing<L>& ring, L* shifted_latents) {
  using V = LatentLanes<L>;
  if (!ring.ensure_capacity(n)) return false;
  const std::size_t begin = ring.end();
  const std::size_t mask = ring.mask();
  L* const latents = ring.data();
  if (begin == 0 || (begin & mask) + n > mask + 1 || !AllInRange(window_n, begin, lookbacks, n)) {
    return false;
  }
  // Sources: [0, kN) in the vector before the previous one, [kN, 2 kN) in the previous one, [2 kN,
  // 3 kN) in the own vector. `resolved` marks lanes whose source was added already, from memory.
  const __m512i own_indices = V::Add(V::Iota(), V::Set(2 * V::kN));
  const __m512i own_vector = V::Set(2 * V::kN);
  const __m512i resolved = V::Set(4 * V::kN);
  const __m512i wrap = V::Set(mask);
  L* const out = latents + (begin & mask);
  const __m512i shift = V::Add(V::Iota(), V::Set(V::kN - 1));
  __m512i previous_2 = _mm512_setzero_si512();
  // Only the last lane is used: it may be the shifted latents' first one.
  __m512i previous_1 = V::Set(latents[(begin - 1) & mask]);
  std::size_t i = 0;
  for (; i + V::kN <= n; i += V::kN) {
    const __m512i distances = V::Lookbacks(lookbacks + i);
    __m512i sum = V::Load(deltas + i);
    __m512i sources = V::Sub(own_indices, distances);
    // The vectors before this call are in memory, not in registers.
    const std::size_t register_n = std::min<std::size_t>(i, 2 * V::kN);
    const __m512i max_register_distances = V::Add(V::Iota(), V::Set(register_n));
    const unsigned in_memory = V::IsBelow(max_register_distances, distances);
    if (in_memory != 0) {
      const __m512i indices =
          _mm512_and_si512(V::Add(sources, V::Set(begin + i - 2 * V::kN)), wrap);
      sum = V::AddWhere(in_memory, sum, V::Gather(in_memory, indices, latents));
      sources = V::Select(in_memory, resolved, sources);
    }
    unsigned in_own_vector = V::TestAny(sources, own_vector);
    if (in_own_vector != 0) {
      HWY_UNROLL(4)
      for (unsigned round = 0; round < V::kRounds; ++round) {
        sum = V::AddWhere(in_own_vector, sum, V::Permute(sum, sources));
        sources = V::Select(in_own_vector, V::Permute(sources, sources), sources);
        in_own_vector = V::TestAny(sources, own_vector);
      }
    }
    sum = V::AddWhere(V::IsBelow(sources, own_vector), sum,
                      V::PermuteTwo(previous_2, previous_1, sources));
    V::Store(sum, out + i);
    if (shifted_latents != nullptr)
      V::Store(V::PermuteTwo(previous_1, sum, shift), shifted_latents + i);
    previous_2 = previous_1;
    previous_1 = sum;
  }
  for (; i < n; ++i) {
    const L delta = deltas[i];  // shifted_latents may be deltas
    if (shifted_latents != nullptr) shifted_latents[i] = latents[(begin + i - 1) & mask];
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
                   std::size_t n, LookbackRing<L>& ring, L* shifted_latents) {            \
    return Undo(window_n, lookbacks, deltas, n, ring, shifted_latents);                   \
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

#define NUMPACT_ENTRY(L, S)                                                                      \
  NUMPACT_EXPORT_VECTOR(Lookback##S);                                                            \
  template <>                                                                                    \
  bool undo_lookback<L>(std::size_t window_n, const std::uint32_t* lookbacks, const L* deltas,   \
                        std::size_t n, LookbackRing<L>& ring, L* shifted_latents) {              \
    return NUMPACT_DISPATCH(Lookback##S)(window_n, lookbacks, deltas, n, ring, shifted_latents); \
  }
NUMPACT_ENTRY(std::uint8_t, 8)
NUMPACT_ENTRY(std::uint16_t, 16)
NUMPACT_ENTRY(std::uint32_t, 32)
NUMPACT_ENTRY(std::uint64_t, 64)
#undef NUMPACT_ENTRY

}  // namespace numpact::internal
#endif
