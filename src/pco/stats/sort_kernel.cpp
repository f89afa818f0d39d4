// SPDX-License-Identifier: Apache-2.0
// Vector quicksort. Partitioning keeps the latents below the pivot in front and moves the others
// through a second array. Short ranges are sorted by rank: the position of a latent is the count of
// smaller ones, which is counted against a broadcast of each latent in turn.
#include "pco/stats/sort.hpp"

#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/stats/sort_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>

#if NUMPACT_VECTOR_KERNEL
HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86  // other targets have no fast compress

// Adds 1 to the lanes of `counts` whose mask bit is set.
template <class D, class V, class M>
HWY_INLINE V CountIn(D d, V counts, M mask) {
  const V one = hn::Set(d, 1);
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    return V{_mm512_mask_add_epi64(counts.raw, mask.raw, counts.raw, one.raw)};
  } else {
    return V{_mm512_mask_add_epi32(counts.raw, mask.raw, counts.raw, one.raw)};
  }
}

// Moves the lanes of the mask to the front. The lanes behind them are zero.
template <class V, class M>
HWY_INLINE V CompressLanes(V v, M mask) {
  // Not hn::Compress: for 64-bit lanes GCC copies its table at every call.
  if constexpr (sizeof(hn::TFromV<V>) == 8) {
    return V{_mm512_maskz_compress_epi64(mask.raw, v.raw)};
  } else {
    return V{_mm512_maskz_compress_epi32(mask.raw, v.raw)};
  }
}

// Sorts n latents, at most kVectors vectors, in place. Whole vectors must be readable.
//
// Example: 5 3 5 1 have the ranks 2 1 2 0. Storing by rank gives 1 3 5 _, where position 3 is empty
// as the equal latents share a rank. The sum of ranks is then below 0 + 1 + 2 + 3, and the gaps are
// filled with the latent before them.
template <std::size_t kVectors, class L>
void SortByRank(L* HWY_RESTRICT latents, std::size_t n) {
  const hn::ScalableTag<L> d;
  constexpr std::size_t kLanes = hn::MaxLanes(d);
  hn::Vec<decltype(d)> values[kVectors];
  hn::Vec<decltype(d)> ranks[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) {
    values[v] = hn::LoadU(d, latents + v * kLanes);
    ranks[v] = hn::Zero(d);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const auto one = hn::Set(d, latents[i]);
    for (std::size_t v = 0; v < kVectors; ++v) {
      ranks[v] = CountIn(d, ranks[v], hn::Lt(one, values[v]));
    }
  }
  HWY_ALIGN L from[kVectors * kLanes];
  HWY_ALIGN L at[kVectors * kLanes];
  for (std::size_t v = 0; v < kVectors; ++v) {
    hn::Store(values[v], d, from + v * kLanes);
    hn::Store(ranks[v], d, at + v * kLanes);
  }
  // Equal latents have the same rank, so positions behind the first of them stay unset.
  std::size_t rank_sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    rank_sum += at[i];
    latents[at[i]] = from[i];
  }
  if (rank_sum == n * (n - 1) / 2) return;
  std::fill_n(latents, n, L{0});
  for (std::size_t i = 0; i < n; ++i) latents[at[i]] = from[i];
  for (std::size_t i = 1; i < n; ++i) latents[i] = std::max(latents[i], latents[i - 1]);
}

template <class L>
inline constexpr std::size_t kLanesOf = HWY_LANES(L);
template <class L>
inline constexpr std::size_t kMaxRankSortN = 4 * kLanesOf<L>;

// From this many latents on, the median of twice as many samples pays: a better pivot saves steps
// of the partition.
constexpr std::size_t kMinLargePivotSampleN = 1024;

template <class L>
void SortFew(L* latents, std::size_t n) {
  switch ((n + kLanesOf<L> - 1) / kLanesOf<L>) {
    case 0:
      return;
    case 1:
      return SortByRank<1>(latents, n);
    case 2:
      return SortByRank<2>(latents, n);
    case 3:
      return SortByRank<3>(latents, n);
    default:
      return SortByRank<4>(latents, n);
  }
}

// Moves the latents below the pivot (kWithPivot: and those equal to it) before the others. Returns
// their count. Order within the two parts is kept.
template <bool kWithPivot, class L>
std::size_t Partition(L* HWY_RESTRICT latents, std::size_t n, L pivot, L* HWY_RESTRICT spare) {
  const hn::ScalableTag<L> d;
  constexpr std::size_t kLanes = kLanesOf<L>;
  const auto pivots = hn::Set(d, pivot);
  std::size_t front = 0;
  std::size_t back = 0;
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const auto loaded = hn::LoadU(d, latents + i);
    auto stays = kWithPivot ? hn::Lt(pivots, loaded) : hn::Lt(loaded, pivots);
    if (kWithPivot) stays = hn::Not(stays);
    const std::size_t back_n = kLanes - hn::CountTrue(d, stays);
    hn::StoreU(CompressLanes(loaded, stays), d, latents + front);
    hn::StoreU(CompressLanes(loaded, hn::Not(stays)), d, spare + back);
    front += kLanes - back_n;
    back += back_n;
  }
  for (; i < n; ++i) {
    const L latent = latents[i];
    const bool goes_back = kWithPivot ? latent > pivot : latent >= pivot;
    latents[front] = latent;
    spare[back] = latent;
    front += goes_back ? 0 : 1;
    back += goes_back ? 1 : 0;
  }
  std::copy_n(spare, back, latents + front);
  return front;
}

// The median of one vector of latents, evenly spaced.
template <class L>
L CoarseMedian(const L* latents, std::size_t n) {
  const hn::ScalableTag<L> d;
  constexpr std::size_t kN = kLanesOf<L>;
  HWY_ALIGN L sample[kN];
  const std::size_t step = n / kN;
  for (std::size_t i = 0; i < kN; ++i) sample[i] = latents[i * step];
  const auto values = hn::Load(d, sample);
  auto ranks = hn::Zero(d);
  for (std::size_t i = 0; i < kN; ++i) {
    ranks = CountIn(d, ranks, hn::Lt(hn::Set(d, sample[i]), values));
  }
  // Equal latents share the lowest rank, so the largest latent of at most the middle rank is taken.
  const auto is_low = hn::Lt(ranks, hn::Set(d, kN / 2 + 1));
  return hn::GetLane(hn::MaxOfLanes(d, hn::IfThenElseZero(is_low, values)));
}

template <class L>
L Median(const L* latents, std::size_t n) {
  if (n < kMinLargePivotSampleN) return CoarseMedian(latents, n);
  constexpr std::size_t kN = 2 * kLanesOf<L>;
  HWY_ALIGN L sample[kN];
  const std::size_t step = n / kN;
  for (std::size_t i = 0; i < kN; ++i) sample[i] = latents[i * step];
  SortByRank<2>(sample, kN);
  return sample[kN / 2];
}

// `spare` has the length of `latents`; a vector behind both may be written. After `depth`
// partitions std::sort takes over, which bounds the time of bad pivots.
template <class L>
void Sort(L* latents, std::size_t n, L* spare, unsigned depth) {
  while (n > kMaxRankSortN<L>) {
    if (depth-- == 0) {
      std::sort(latents, latents + n);
      return;
    }
    const L pivot = Median(latents, n);
    const std::size_t front = Partition<false>(latents, n, pivot, spare);
    if (front == 0) {
      const std::size_t equal = Partition<true>(latents, n, pivot, spare);
      latents += equal;
      n -= equal;
      continue;
    }
    Sort(latents, front, spare, depth);
    latents += front;
    n -= front;
  }
  SortFew(latents, n);
}

template <class L>
bool SortIfFast(L* latents, std::size_t n, L* spare) {
  const unsigned depth = 2 * static_cast<unsigned>(std::bit_width(n));
  Sort(latents, n, spare, depth);
  return true;
}

#else

template <class L>
bool SortIfFast(L*, std::size_t, L*) {
  return false;
}

#endif

bool SortIfFast32(std::uint32_t* latents, std::size_t n, std::uint32_t* spare) {
  return SortIfFast(latents, n, spare);
}
bool SortIfFast64(std::uint64_t* latents, std::size_t n, std::uint64_t* spare) {
  return SortIfFast(latents, n, spare);
}

}  // namespace HWY_NAMESPACE
}  // namespace numpact::internal
HWY_AFTER_NAMESPACE();
#endif  // NUMPACT_VECTOR_KERNEL

#if HWY_ONCE
#include "simd/dispatch.hpp"

namespace numpact::internal {

NUMPACT_EXPORT_VECTOR(SortIfFast32);
NUMPACT_EXPORT_VECTOR(SortIfFast64);

template <>
bool sort_if_fast(std::uint32_t* latents, std::size_t n, std::uint32_t* spare) {
  return NUMPACT_DISPATCH(SortIfFast32)(latents, n, spare);
}
template <>
bool sort_if_fast(std::uint64_t* latents, std::size_t n, std::uint64_t* spare) {
  return NUMPACT_DISPATCH(SortIfFast64)(latents, n, spare);
}

}  // namespace numpact::internal
#endif
