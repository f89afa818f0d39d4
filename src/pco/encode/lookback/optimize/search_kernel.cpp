// SPDX-License-Identifier: Apache-2.0
// A frequent lookback is packed into a word: its cost above kFrequentLog bits of its index. A word
// plus a delta's cost, shifted likewise, still holds the index. So one minimum over such sums finds
// the lowest cost and, among equal costs, the lowest index.
//
// Example: the frequent lookbacks are 90 (cost 64, 1 bit) and 1 (cost 320, 5 bits). A latent equals
// the one 90 before it (delta cost 32) but not the one before it (delta cost 500).
//
//   lookback 90, index 0:  (64 << 6 | 0) + (32 << 6)   =  6144
//   lookback 1, index 1:   (320 << 6 | 1) + (500 << 6) = 52481
//
// The minimum is 6144: its index is 6144 % 64 = 0, its cost 6144 >> 6 = 96, or 1.5 bits.
//
// Invariant: before step k the vector `words` holds each latent's minimum over the sums of the
// words before k. Words ascend, so once each minimum is below word k plus the lowest delta cost, no
// later word wins, and the loop ends. Likewise the candidates `strings`, `equal` and `near` are
// skipped if no latent's cost exceeds the lower bound of all lookbacks that are not frequent. Both
// tests only save work, so every target chooses the same lookbacks as the scalar loop.
#include "pco/encode/lookback/optimize/search_kernel.hpp"

#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/encode/lookback/optimize/search_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#if NUMPACT_VECTOR_KERNEL
#if HWY_TARGET <= HWY_AVX3
// For counting leading zeros. Every processor with the rest of AVX3 can do that.
HWY_PUSH_ATTRIBUTES(HWY_TARGET_STR ",avx512cd")
#else
HWY_BEFORE_NAMESPACE();
#endif
namespace numpact::internal {
namespace HWY_NAMESPACE {

// The frequent lookbacks that are valid for a block, packed, in ascending order.
struct PackedFrequent {
  std::array<std::uint32_t, kMaxFrequent> words;
  std::size_t n = 0;
};

HWY_INLINE PackedFrequent PackFrequent(const FrequentLookbacks& frequent, std::size_t first) {
  PackedFrequent packed;
  std::size_t n = 0;
  for (std::size_t k = 0; k < frequent.n; ++k) {
    if (frequent.lookbacks[k] > first) continue;
    const std::uint32_t word = frequent.costs[k] << kFrequentLog | static_cast<std::uint32_t>(k);
    std::size_t at = n++;
    for (; at > 0 && packed.words[at - 1] > word; --at) packed.words[at] = packed.words[at - 1];
    packed.words[at] = word;
  }
  packed.n = n;
  return packed;
}

template <class L>
HWY_INLINE std::uint32_t LookbackOf(const LookbackTask<L>& task, std::uint32_t word) {
  return task.frequent->lookbacks[word % kMaxFrequent];
}

template <class L>
HWY_INLINE std::uint32_t MinDeltaCost(const LookbackTask<L>& task) {
  std::uint32_t min_cost = ~std::uint32_t{0};  // std::min_element would not be vectorized
  for (const std::uint32_t cost : *task.delta_costs) min_cost = std::min(min_cost, cost);
  return min_cost;
}

// Lower bound of the cost of any lookback that is not packed, together with its delta.
template <class L>
HWY_INLINE std::uint32_t MinOtherCost(const LookbackTask<L>& task, const PackedFrequent& packed) {
  if (packed.n < task.frequent->n) return 0;
  return task.frequent->min_other_cost + MinDeltaCost(task);
}

template <class L>
HWY_INLINE std::uint32_t DeltaCostOf(const L* at, std::size_t lookback, const DeltaCosts& costs) {
  const L delta = static_cast<L>(*at - *(at - lookback));
  return costs[class_of_width<L>(signed_width(delta))];
}

// The scalar loop, for the latents of the block from `begin` on.
template <class L>
void ChooseScalar(const LookbackTask<L>& task, const PackedFrequent& packed, std::size_t begin,
                  std::uint32_t* lookbacks) {
  for (std::size_t j = begin; j < task.n; ++j) {
    const std::size_t i = task.first + j;
    const L* const at = task.latents + i;
    std::uint32_t word = ~std::uint32_t{0};
    for (std::size_t k = 0; k < packed.n; ++k) {
      const std::uint32_t tried = packed.words[k];
      const std::uint32_t cost = DeltaCostOf(at, LookbackOf(task, tried), *task.delta_costs);
      word = std::min(word, tried + (cost << kFrequentLog));
    }
    std::uint32_t min_cost = word >> kFrequentLog;
    std::uint32_t lookback = LookbackOf(task, word);
    for (const std::uint32_t* const others : {task.strings, task.equal, task.near}) {
      if (others == nullptr) continue;
      const std::uint32_t other = others[i];
      const std::uint32_t cost =
          task.lookback_costs[other] + DeltaCostOf(at, other, *task.delta_costs);
      lookback = cost < min_cost ? other : lookback;
      min_cost = std::min(min_cost, cost);
    }
    lookbacks[j] = lookback;
  }
}

#if HWY_TARGET <= HWY_AVX2

#if HWY_TARGET <= HWY_AVX3

constexpr std::size_t kLanes = 16;
using Words = __m512i;

HWY_INLINE Words SetWords(std::uint32_t word) { return _mm512_set1_epi32(static_cast<int>(word)); }
HWY_INLINE Words AddWords(Words a, Words b) { return _mm512_add_epi32(a, b); }
HWY_INLINE Words MinWords(Words a, Words b) { return _mm512_min_epu32(a, b); }
HWY_INLINE void StoreWords(Words words, std::uint32_t* to) { _mm512_storeu_si512(to, words); }
HWY_INLINE Words LoadWords(const std::uint32_t* from) { return _mm512_loadu_si512(from); }
template <int kBits>
HWY_INLINE Words ShiftDown(Words words) {
  return _mm512_srli_epi32(words, kBits);
}
HWY_INLINE Words AndWords(Words a, Words b) { return _mm512_and_si512(a, b); }
HWY_INLINE Words GatherWords(const std::uint32_t* from, Words indices) {
  return _mm512_i32gather_epi32(indices, from, 4);
}
HWY_INLINE Words GatherShorts(const std::uint16_t* from, Words indices) {
  return AndWords(_mm512_i32gather_epi32(indices, from, 2), SetWords(0xffff));
}
// c in lanes where a < b as unsigned numbers, else d.
HWY_INLINE Words IfLess(Words a, Words b, Words c, Words d) {
  return _mm512_mask_mov_epi32(d, _mm512_cmplt_epu32_mask(a, b), c);
}
HWY_INLINE bool AllLess(Words a, Words b) { return _mm512_cmpge_epu32_mask(a, b) == 0; }
// Whether in any lane a > min and b is neither c nor d.
HWY_INLINE bool AnyNew(Words a, Words min, Words b, Words c, Words d) {
  const __mmask16 greater = _mm512_cmpgt_epu32_mask(a, min);
  return _mm512_mask_cmpneq_epu32_mask(_mm512_mask_cmpneq_epu32_mask(greater, b, c), b, d) != 0;
}
// from[index] in each lane; `from` has n words. A permutation suffices if they fill one vector.
HWY_INLINE Words LookUp(const std::uint32_t* from, std::size_t n, Words indices) {
  return n <= kLanes ? _mm512_permutexvar_epi32(indices, LoadWords(from))
                     : GatherWords(from, indices);
}

// Delta costs by the number of leading zeros z, halved for 64 bits: entry z holds the cost of class
// 32 - z. Permutations take indices modulo 32, so z = 32, a delta of zero, uses entry 0. And z = 0
// is raised to 1, as widths 31 and 32 share class 31.
struct Table {
  __m512i low;
  __m512i high;

  explicit Table(const DeltaCosts& costs) {
    const Words narrow = LoadWords(costs.data());
    const Words wide = LoadWords(costs.data() + kLanes);
    const Words from_32 =
        _mm512_set_epi32(17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 0);
    const Words from_16 = _mm512_set_epi32(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
    low = _mm512_permutex2var_epi32(narrow, from_32, wide);
    high = _mm512_permutex2var_epi32(narrow, from_16, wide);
  }
  HWY_INLINE Words Look(Words zeros) const {
    const Words indices = _mm512_max_epu32(zeros, _mm512_set1_epi32(1));
    return _mm512_permutex2var_epi32(low, indices, high);
  }
};

// The earlier latents of a vector of latents at `at`: by one lookback for all lanes, or by one
// each.
template <class L>
struct Back {
  const L* at;
  std::size_t lookback;
};
template <class L>
struct Backs {
  const L* at;
  Words lookbacks;
};

HWY_INLINE __m512i Earlier(const Back<std::uint32_t>& back) {
  return _mm512_loadu_si512(back.at - back.lookback);
}
HWY_INLINE __m512i Earlier(const Backs<std::uint32_t>& backs) {
  const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  return _mm512_i32gather_epi32(_mm512_sub_epi32(lanes, backs.lookbacks), backs.at, 4);
}
// The first or second half of 16 latents of 64 bits.
template <int kHalf>
HWY_INLINE __m512i Earlier64(const Back<std::uint64_t>& back) {
  return _mm512_loadu_si512(back.at + 8 * kHalf - back.lookback);
}
template <int kHalf>
HWY_INLINE __m512i Earlier64(const Backs<std::uint64_t>& backs) {
  const __m256i lanes = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
  const __m256i lookbacks = _mm512_extracti64x4_epi64(backs.lookbacks, kHalf);
  return _mm512_i32gather_epi64(_mm256_sub_epi32(lanes, lookbacks), backs.at + 8 * kHalf, 8);
}

template <class B>
HWY_INLINE Words DeltaCost(const std::uint32_t* at, const B& back, const Table& table) {
  const __m512i delta = _mm512_sub_epi32(_mm512_loadu_si512(at), Earlier(back));
  const __m512i changes = _mm512_xor_si512(delta, _mm512_add_epi32(delta, delta));
  return table.Look(_mm512_lzcnt_epi32(changes));
}
template <int kHalf, class B>
HWY_INLINE __m512i Zeros64(const std::uint64_t* at, const B& back) {
  const __m512i delta =
      _mm512_sub_epi64(_mm512_loadu_si512(at + 8 * kHalf), Earlier64<kHalf>(back));
  return _mm512_lzcnt_epi64(_mm512_xor_si512(delta, _mm512_add_epi64(delta, delta)));
}
template <class B>
HWY_INLINE Words DeltaCost(const std::uint64_t* at, const B& back, const Table& table) {
  const __m512i even_lanes =
      _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
  const __m512i zeros =
      _mm512_permutex2var_epi32(Zeros64<0>(at, back), even_lanes, Zeros64<1>(at, back));
  return table.Look(_mm512_srli_epi32(zeros, 1));
}

#else

constexpr std::size_t kLanes = 8;
using Words = __m256i;

HWY_INLINE Words SetWords(std::uint32_t word) { return _mm256_set1_epi32(static_cast<int>(word)); }
HWY_INLINE Words AddWords(Words a, Words b) { return _mm256_add_epi32(a, b); }
HWY_INLINE Words MinWords(Words a, Words b) { return _mm256_min_epu32(a, b); }
HWY_INLINE void StoreWords(Words words, std::uint32_t* to) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), words);
}
template <class L>
HWY_INLINE __m256i LoadWords(const L* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
template <int kBits>
HWY_INLINE Words ShiftDown(Words words) {
  return _mm256_srli_epi32(words, kBits);
}
HWY_INLINE Words AndWords(Words a, Words b) { return _mm256_and_si256(a, b); }
HWY_INLINE Words GatherWords(const std::uint32_t* from, Words indices) {
  return _mm256_i32gather_epi32(reinterpret_cast<const int*>(from), indices, 4);
}
HWY_INLINE Words GatherShorts(const std::uint16_t* from, Words indices) {
  return AndWords(_mm256_i32gather_epi32(reinterpret_cast<const int*>(from), indices, 2),
                  SetWords(0xffff));
}
// c in lanes where a < b, else d. a and b are below 2^31.
HWY_INLINE Words IfLess(Words a, Words b, Words c, Words d) {
  return _mm256_blendv_epi8(d, c, _mm256_cmpgt_epi32(b, a));
}
HWY_INLINE bool AllLess(Words a, Words b) {
  return _mm256_movemask_epi8(_mm256_cmpgt_epi32(b, a)) == -1;
}
// Whether in any lane a > min and b is neither c nor d.
HWY_INLINE bool AnyNew(Words a, Words min, Words b, Words c, Words d) {
  const Words old = _mm256_or_si256(_mm256_cmpeq_epi32(b, c), _mm256_cmpeq_epi32(b, d));
  return _mm256_testc_si256(old, _mm256_cmpgt_epi32(a, min)) == 0;
}
// from[index] in each lane; `from` has n words. A permutation suffices if they fill one vector.
HWY_INLINE Words LookUp(const std::uint32_t* from, std::size_t n, Words indices) {
  return n <= kLanes ? _mm256_permutevar8x32_epi32(LoadWords(from), indices)
                     : GatherWords(from, indices);
}

// Delta costs by class: four vectors of eight. Each is permuted by the lowest 3 bits of the
// classes, then bits 3 and 4 select one of the four.
struct Table {
  __m256i parts[4];

  explicit Table(const DeltaCosts& costs) {
    for (std::size_t i = 0; i < 4; ++i) parts[i] = LoadWords(costs.data() + i * kLanes);
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

// Bit widths, of which 32 counts as 31. The exponent of a number converted to float is its width.
HWY_INLINE __m256i Widths(__m256i changes) {
  const __m256i clamped = _mm256_min_epu32(changes, _mm256_set1_epi32(0x7fffffff));
  // Only the leading bit is kept of adjacent ones, so that rounding cannot reach the next power of
  // two.
  const __m256i leading = _mm256_andnot_si256(_mm256_srli_epi32(clamped, 1), clamped);
  const __m256i exponents = _mm256_srli_epi32(_mm256_castps_si256(_mm256_cvtepi32_ps(leading)), 23);
  return _mm256_max_epi32(_mm256_sub_epi32(exponents, _mm256_set1_epi32(126)),
                          _mm256_setzero_si256());
}

// The earlier latents of a vector of latents at `at`: by one lookback for all lanes, or by one
// each.
template <class L>
struct Back {
  const L* at;
  std::size_t lookback;
};
template <class L>
struct Backs {
  const L* at;
  Words lookbacks;
};

HWY_INLINE __m256i Earlier(const Back<std::uint32_t>& back) {
  return LoadWords(back.at - back.lookback);
}
HWY_INLINE __m256i Earlier(const Backs<std::uint32_t>& backs) {
  const __m256i lanes = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
  return GatherWords(backs.at, _mm256_sub_epi32(lanes, backs.lookbacks));
}
// The first or second half of 8 latents of 64 bits.
template <int kHalf>
HWY_INLINE __m256i Earlier64(const Back<std::uint64_t>& back) {
  return LoadWords(back.at + 4 * kHalf - back.lookback);
}
template <int kHalf>
HWY_INLINE __m256i Earlier64(const Backs<std::uint64_t>& backs) {
  const __m128i lanes = _mm_set_epi32(3, 2, 1, 0);
  const __m128i lookbacks = _mm256_extracti128_si256(backs.lookbacks, kHalf);
  return _mm256_i32gather_epi64(reinterpret_cast<const long long*>(backs.at + 4 * kHalf),
                                _mm_sub_epi32(lanes, lookbacks), 8);
}

template <class B>
HWY_INLINE Words DeltaCost(const std::uint32_t* at, const B& back, const Table& table) {
  const __m256i delta = _mm256_sub_epi32(LoadWords(at), Earlier(back));
  return table.Look(Widths(_mm256_xor_si256(delta, _mm256_add_epi32(delta, delta))));
}
template <int kHalf, class B>
HWY_INLINE __m256i Changes64(const std::uint64_t* at, const B& back) {
  const __m256i delta = _mm256_sub_epi64(LoadWords(at + 4 * kHalf), Earlier64<kHalf>(back));
  return _mm256_xor_si256(delta, _mm256_add_epi64(delta, delta));
}
template <class B>
HWY_INLINE Words DeltaCost(const std::uint64_t* at, const B& back, const Table& table) {
  const __m256i one = Changes64<0>(at, back);
  const __m256i other = Changes64<1>(at, back);
  // Separates the lower and the upper halves, each in the order of the latents.
  const __m256i sorted_one = _mm256_shuffle_epi32(one, 0xd8);
  const __m256i sorted_other = _mm256_shuffle_epi32(other, 0xd8);
  const __m256i low =
      _mm256_permute4x64_epi64(_mm256_unpacklo_epi64(sorted_one, sorted_other), 0xd8);
  const __m256i high =
      _mm256_permute4x64_epi64(_mm256_unpackhi_epi64(sorted_one, sorted_other), 0xd8);
  const __m256i no_high = _mm256_cmpeq_epi32(high, _mm256_setzero_si256());
  // A lower half may be 32 bits wide, which Widths() counts as 31.
  const __m256i top = _mm256_srli_epi32(low, 31);
  const __m256i low_widths = _mm256_add_epi32(Widths(low), top);
  const __m256i high_widths = _mm256_add_epi32(Widths(high), _mm256_set1_epi32(32));
  const __m256i widths = _mm256_blendv_epi8(high_widths, low_widths, no_high);
  const __m256i classes = _mm256_srli_epi32(_mm256_add_epi32(widths, _mm256_set1_epi32(1)), 1);
  return table.Look(_mm256_min_epu32(classes, _mm256_set1_epi32(31)));
}

#endif

// The loop tests whether it may end after the first frequent lookback and then after this many
// each. A lower interval ends sooner, a higher one tests less often.
constexpr std::size_t kEndTestInterval = 4;

// The cheapest lookbacks so far, and the last ones that were not cheaper.
struct Best {
  Words costs;
  Words lookbacks;
  Words rejected;
};

// Considers other lookbacks unless they cannot be cheaper in any lane: min_cost is a lower bound of
// their costs, and lookbacks that were chosen or rejected before need no second look.
template <class L>
HWY_INLINE void Consider(const LookbackTask<L>& task, const Table& table, Words min_cost,
                         const std::uint32_t* others, std::size_t i, Best& best) {
  const Words tried = LoadWords(others + i);
  if (!AnyNew(best.costs, min_cost, tried, best.lookbacks, best.rejected)) return;
  const L* const at = task.latents + i;
  const Words cost =
      AddWords(GatherShorts(task.lookback_costs, tried), DeltaCost(at, Backs<L>{at, tried}, table));
  best.rejected = IfLess(cost, best.costs, best.rejected, tried);
  best.lookbacks = IfLess(cost, best.costs, tried, best.lookbacks);
  best.costs = MinWords(cost, best.costs);
}

template <class L>
void Choose(const LookbackTask<L>& task, std::uint32_t* lookbacks) {
  const PackedFrequent packed = PackFrequent(*task.frequent, task.first);
  DeltaCosts shifted = *task.delta_costs;
  for (std::uint32_t& cost : shifted) cost <<= kFrequentLog;
  const Table shifted_table(shifted);
  const Table table(*task.delta_costs);
  const Words min_cost = SetWords(MinOtherCost(task, packed));
  const std::uint32_t min_delta = MinDeltaCost(task) << kFrequentLog;
  std::size_t j = 0;
  for (; j + 2 * kLanes <= task.n; j += 2 * kLanes) {
    const L* const at = task.latents + task.first + j;
    Words words[2] = {SetWords(~std::uint32_t{0}), SetWords(~std::uint32_t{0})};
    for (std::size_t k = 0; k < packed.n; ++k) {
      // Often the first one ends the loop, as where numbers repeat the one before.
      if (k % kEndTestInterval == 1) {
        const Words min_sum = SetWords(packed.words[k] + min_delta);
        if (AllLess(words[0], min_sum) && AllLess(words[1], min_sum)) break;
      }
      const Words word = SetWords(packed.words[k]);
      const std::size_t lookback = LookbackOf(task, packed.words[k]);
      for (std::size_t half = 0; half < 2; ++half) {
        const L* const here = at + half * kLanes;
        const Words cost = DeltaCost(here, Back<L>{here, lookback}, shifted_table);
        words[half] = MinWords(words[half], AddWords(word, cost));
      }
    }
    for (std::size_t half = 0; half < 2; ++half) {
      const std::size_t i = task.first + j + half * kLanes;
      const Words index = AndWords(words[half], SetWords(kMaxFrequent - 1));
      const Words chosen = LookUp(task.frequent->lookbacks.data(), task.frequent->n, index);
      Best best{ShiftDown<kFrequentLog>(words[half]), chosen, chosen};
      for (const std::uint32_t* const others : {task.strings, task.equal, task.near}) {
        if (others != nullptr) Consider(task, table, min_cost, others, i, best);
      }
      StoreWords(best.lookbacks, lookbacks + j + half * kLanes);
    }
  }
  ChooseScalar(task, packed, j, lookbacks);
}

#else

template <class L>
void Choose(const LookbackTask<L>& task, std::uint32_t* lookbacks) {
  ChooseScalar(task, PackFrequent(*task.frequent, task.first), 0, lookbacks);
}

#endif

#define NUMPACT_KERNEL(L, S) \
  void Choose##S(const LookbackTask<L>& task, std::uint32_t* lookbacks) { Choose(task, lookbacks); }
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

#define NUMPACT_ENTRY_POINT(L, S)                                                  \
  NUMPACT_EXPORT_VECTOR(Choose##S);                                                \
  template <>                                                                      \
  void choose_cheapest<L>(const LookbackTask<L>& task, std::uint32_t* lookbacks) { \
    NUMPACT_DISPATCH(Choose##S)(task, lookbacks);                                  \
  }
NUMPACT_ENTRY_POINT(std::uint32_t, 32)
NUMPACT_ENTRY_POINT(std::uint64_t, 64)
#undef NUMPACT_ENTRY_POINT

}  // namespace numpact::internal
#endif
