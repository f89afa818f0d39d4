// SPDX-License-Identifier: Apache-2.0
#include "pco/choose/lookback_kernel.hpp"

#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/choose/lookback_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
#if HWY_TARGET <= HWY_AVX3
// Counts leading zeros; there are no processors that have the rest and not this.
HWY_PUSH_ATTRIBUTES(HWY_TARGET_STR ",avx512cd")
#endif
namespace numpact {
namespace HWY_NAMESPACE {

// The lookbacks that may be tried, costs and indices in one word.
struct Tries {
  std::array<std::uint32_t, kMaxFrequent> lookbacks;
  std::array<std::uint32_t, kMaxFrequent> words;
  std::size_t n = 0;
};

HWY_INLINE Tries CollectTries(const FrequentLookbacks& frequent, std::size_t first) {
  Tries tries;
  for (std::size_t k = 0; k < frequent.n; ++k) {
    if (frequent.lookbacks[k] > first) continue;
    tries.lookbacks[tries.n] = frequent.lookbacks[k];
    tries.words[tries.n++] = frequent.costs[k] << kIndexBits | static_cast<std::uint32_t>(k);
  }
  return tries;
}

template <class L>
void CheapestByOne(const L* latents, std::size_t first, std::size_t n, const Tries& tries,
                   const std::uint32_t* table, std::uint32_t* best) {
  for (std::size_t j = 0; j < n; ++j) {
    const L* const at = latents + first + j;
    std::uint32_t least = ~std::uint32_t{0};
    for (std::size_t k = 0; k < tries.n; ++k) {
      const L delta = static_cast<L>(*at - *(at - tries.lookbacks[k]));
      const std::uint32_t word = tries.words[k] + table[class_of_width<L>(signed_width(delta))];
      least = std::min(least, word);
    }
    best[j] = least;
  }
}

#if HWY_TARGET <= HWY_AVX2

#if HWY_TARGET <= HWY_AVX3

constexpr std::size_t kLanes = 16;
using Words = __m512i;

HWY_INLINE Words SetWords(std::uint32_t word) {
  return _mm512_set1_epi32(static_cast<int>(word));
}
HWY_INLINE Words AddWords(Words a, Words b) { return _mm512_add_epi32(a, b); }
HWY_INLINE Words MinWords(Words a, Words b) { return _mm512_min_epu32(a, b); }
HWY_INLINE void StoreWords(Words words, std::uint32_t* to) { _mm512_storeu_si512(to, words); }

// By leading zeros, halved for 64 bits: 32 of them share the place of none, which never occur.
struct Table {
  __m512i low;
  __m512i high;

  explicit Table(const std::uint32_t* costs) {
    alignas(64) std::uint32_t places[kDeltaClasses];
    for (std::size_t i = 0; i < kDeltaClasses; ++i) places[(32 - i) % 32] = costs[i];
    low = _mm512_load_si512(places);
    high = _mm512_load_si512(places + kLanes);
  }
  HWY_INLINE Words Look(Words zeros) const {
    const Words places = _mm512_max_epu32(zeros, _mm512_set1_epi32(1));
    return _mm512_permutex2var_epi32(low, places, high);
  }
};

HWY_INLINE Words DeltaCost(const std::uint32_t* at, std::size_t lookback, const Table& table) {
  const __m512i delta =
      _mm512_sub_epi32(_mm512_loadu_si512(at), _mm512_loadu_si512(at - lookback));
  const __m512i changes = _mm512_xor_si512(delta, _mm512_add_epi32(delta, delta));
  return table.Look(_mm512_lzcnt_epi32(changes));
}
HWY_INLINE __m512i Zeros64(const std::uint64_t* at, std::size_t lookback) {
  const __m512i delta =
      _mm512_sub_epi64(_mm512_loadu_si512(at), _mm512_loadu_si512(at - lookback));
  return _mm512_lzcnt_epi64(_mm512_xor_si512(delta, _mm512_add_epi64(delta, delta)));
}
HWY_INLINE Words DeltaCost(const std::uint64_t* at, std::size_t lookback, const Table& table) {
  const __m512i even_lanes = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4,
                                              2, 0);
  const __m512i zeros = _mm512_permutex2var_epi32(Zeros64(at, lookback), even_lanes,
                                                  Zeros64(at + kLanes / 2, lookback));
  return table.Look(_mm512_srli_epi32(zeros, 1));
}

#else

constexpr std::size_t kLanes = 8;
using Words = __m256i;

HWY_INLINE Words SetWords(std::uint32_t word) {
  return _mm256_set1_epi32(static_cast<int>(word));
}
HWY_INLINE Words AddWords(Words a, Words b) { return _mm256_add_epi32(a, b); }
HWY_INLINE Words MinWords(Words a, Words b) { return _mm256_min_epu32(a, b); }
HWY_INLINE void StoreWords(Words words, std::uint32_t* to) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), words);
}
template <class L>
HWY_INLINE __m256i LoadWords(const L* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

struct Table {
  __m256i parts[4];

  explicit Table(const std::uint32_t* costs) {
    for (std::size_t i = 0; i < 4; ++i) parts[i] = LoadWords(costs + i * kLanes);
  }
  // classes: up to 31.
  HWY_INLINE Words Look(Words classes) const {
    const __m256 by_8 = _mm256_castsi256_ps(_mm256_slli_epi32(classes, 28));
    const __m256 by_16 = _mm256_castsi256_ps(_mm256_slli_epi32(classes, 27));
    const auto part = [&](std::size_t i) {
      return _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(parts[i], classes));
    };
    const __m256 low = _mm256_blendv_ps(part(0), part(1), by_8);
    const __m256 high = _mm256_blendv_ps(part(2), part(3), by_8);
    return _mm256_castps_si256(_mm256_blendv_ps(low, high, by_16));
  }
};

// Widths up to 31: those of 32 bits count as of 31.
HWY_INLINE __m256i Widths(__m256i changes) {
  const __m256i clamped = _mm256_min_epu32(changes, _mm256_set1_epi32(0x7fffffff));
  // Without what follows the leading bit nothing is rounded up to the next power of two.
  const __m256i leading = _mm256_andnot_si256(_mm256_srli_epi32(clamped, 1), clamped);
  const __m256i exponents =
      _mm256_srli_epi32(_mm256_castps_si256(_mm256_cvtepi32_ps(leading)), 23);
  return _mm256_max_epi32(_mm256_sub_epi32(exponents, _mm256_set1_epi32(126)),
                          _mm256_setzero_si256());
}
HWY_INLINE Words DeltaCost(const std::uint32_t* at, std::size_t lookback, const Table& table) {
  const __m256i delta = _mm256_sub_epi32(LoadWords(at), LoadWords(at - lookback));
  return table.Look(Widths(_mm256_xor_si256(delta, _mm256_add_epi32(delta, delta))));
}
HWY_INLINE __m256i Changes64(const std::uint64_t* at, std::size_t lookback) {
  const __m256i delta = _mm256_sub_epi64(LoadWords(at), LoadWords(at - lookback));
  return _mm256_xor_si256(delta, _mm256_add_epi64(delta, delta));
}
HWY_INLINE Words DeltaCost(const std::uint64_t* at, std::size_t lookback, const Table& table) {
  const __m256i one = Changes64(at, lookback);
  const __m256i other = Changes64(at + kLanes / 2, lookback);
  // Lower halves in order, upper halves in order.
  const __m256i sorted_one = _mm256_shuffle_epi32(one, 0xd8);
  const __m256i sorted_other = _mm256_shuffle_epi32(other, 0xd8);
  const __m256i low =
      _mm256_permute4x64_epi64(_mm256_unpacklo_epi64(sorted_one, sorted_other), 0xd8);
  const __m256i high =
      _mm256_permute4x64_epi64(_mm256_unpackhi_epi64(sorted_one, sorted_other), 0xd8);
  const __m256i no_high = _mm256_cmpeq_epi32(high, _mm256_setzero_si256());
  // A lower half's leading bit may be its top one, which Widths would lose.
  const __m256i top = _mm256_srli_epi32(low, 31);
  const __m256i low_widths = _mm256_add_epi32(Widths(low), top);
  const __m256i high_widths = _mm256_add_epi32(Widths(high), _mm256_set1_epi32(32));
  const __m256i widths = _mm256_blendv_epi8(high_widths, low_widths, no_high);
  const __m256i classes =
      _mm256_srli_epi32(_mm256_add_epi32(widths, _mm256_set1_epi32(1)), 1);
  return table.Look(_mm256_min_epu32(classes, _mm256_set1_epi32(31)));
}

#endif

template <class L>
void Cheapest(const L* latents, std::size_t first, std::size_t n,
              const FrequentLookbacks& frequent, const DeltaCosts& delta_costs,
              std::uint32_t* best) {
  const Tries tries = CollectTries(frequent, first);
  std::uint32_t shifted[kDeltaClasses];
  for (std::size_t i = 0; i < kDeltaClasses; ++i) shifted[i] = delta_costs[i] << kIndexBits;
  const Table table(shifted);
  std::size_t j = 0;
  for (; j + 2 * kLanes <= n; j += 2 * kLanes) {
    const L* const at = latents + first + j;
    Words one = SetWords(~std::uint32_t{0});
    Words other = one;
    for (std::size_t k = 0; k < tries.n; ++k) {
      const Words word = SetWords(tries.words[k]);
      const std::size_t lookback = tries.lookbacks[k];
      one = MinWords(one, AddWords(word, DeltaCost(at, lookback, table)));
      other = MinWords(other, AddWords(word, DeltaCost(at + kLanes, lookback, table)));
    }
    StoreWords(one, best + j);
    StoreWords(other, best + j + kLanes);
  }
  CheapestByOne(latents, first + j, n - j, tries, shifted, best + j);
}

#else

template <class L>
void Cheapest(const L* latents, std::size_t first, std::size_t n,
              const FrequentLookbacks& frequent, const DeltaCosts& delta_costs,
              std::uint32_t* best) {
  std::uint32_t shifted[kDeltaClasses];
  for (std::size_t i = 0; i < kDeltaClasses; ++i) shifted[i] = delta_costs[i] << kIndexBits;
  CheapestByOne(latents, first, n, CollectTries(frequent, first), shifted, best);
}

#endif

#define NUMPACT_KERNEL(L, S)                                                                \
  void Cheapest##S(const L* latents, std::size_t first, std::size_t n,                      \
                   const FrequentLookbacks& frequent, const DeltaCosts& delta_costs,        \
                   std::uint32_t* best) {                                                   \
    Cheapest(latents, first, n, frequent, delta_costs, best);                               \
  }
NUMPACT_KERNEL(std::uint32_t, 32)
NUMPACT_KERNEL(std::uint64_t, 64)
#undef NUMPACT_KERNEL

}  // namespace HWY_NAMESPACE
}  // namespace numpact
#if HWY_TARGET <= HWY_AVX3
HWY_POP_ATTRIBUTES
#endif
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/dispatch.hpp"

namespace numpact {

#define NUMPACT_DOOR(L, S)                                                                  \
  HWY_EXPORT(Cheapest##S);                                                                  \
  template <>                                                                               \
  void find_cheapest<L>(const L* latents, std::size_t first, std::size_t n,                 \
                        const FrequentLookbacks& frequent, const DeltaCosts& delta_costs,   \
                        std::uint32_t* best) {                                              \
    NUMPACT_DISPATCH(Cheapest##S)(latents, first, n, frequent, delta_costs, best);          \
  }
NUMPACT_DOOR(std::uint32_t, 32)
NUMPACT_DOOR(std::uint64_t, 64)
#undef NUMPACT_DOOR

}  // namespace numpact
#endif
