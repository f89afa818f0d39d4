// SPDX-License-Identifier: Apache-2.0
// Quicksort: latents below the pivot stay in front, the others go round through a second array.
// Few latents are put in place by their ranks: how many are smaller, counted against all at once.
#include "pco/stats/sort.hpp"

#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/stats/sort_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>

HWY_BEFORE_NAMESPACE();
namespace numpact {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86  // others cannot move lanes to the front fast

// v plus 1 where the mask is set.
template <class D, class V, class M>
HWY_INLINE V CountIn(D d, V counts, M mask) {
  const V one = hn::Set(d, 1);
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    return V{_mm512_mask_add_epi64(counts.raw, mask.raw, counts.raw, one.raw)};
  } else {
    return V{_mm512_mask_add_epi32(counts.raw, mask.raw, counts.raw, one.raw)};
  }
}

// The lanes of the mask in front; what is behind them is of no account.
template <class V, class M>
HWY_INLINE V InFront(V v, M mask) {
  // Not Highway's: GCC copies its table for lanes of 64 bits at every call.
  if constexpr (sizeof(hn::TFromV<V>) == 8) {
    return V{_mm512_maskz_compress_epi64(mask.raw, v.raw)};
  } else {
    return V{_mm512_maskz_compress_epi32(mask.raw, v.raw)};
  }
}

// Sorts n latents in place, at most kVectors vectors of them; what follows them must be readable.
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
  // Equal latents have the same rank; the places behind the first of them are found to be empty.
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
inline constexpr std::size_t kVectorLatents = HWY_LANES(L);
template <class L>
inline constexpr std::size_t kFewLatents = 4 * kVectorLatents<L>;

// From so many on a better pivot pays.
constexpr std::size_t kManyLatents = 1024;

template <class L>
void SortFew(L* latents, std::size_t n) {
  switch ((n + kVectorLatents<L> - 1) / kVectorLatents<L>) {
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

// Puts the latents below the pivot (kWithPivot: and those equal to it) in front of the others;
// returns their number.
template <bool kWithPivot, class L>
std::size_t Partition(L* HWY_RESTRICT latents, std::size_t n, L pivot, L* HWY_RESTRICT spare) {
  const hn::ScalableTag<L> d;
  constexpr std::size_t kLanes = kVectorLatents<L>;
  const auto pivots = hn::Set(d, pivot);
  std::size_t front = 0;
  std::size_t back = 0;
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const auto some = hn::LoadU(d, latents + i);
    auto stays = kWithPivot ? hn::Lt(pivots, some) : hn::Lt(some, pivots);
    if (kWithPivot) stays = hn::Not(stays);
    const std::size_t back_n = kLanes - hn::CountTrue(d, stays);
    hn::StoreU(InFront(some, stays), d, latents + front);
    hn::StoreU(InFront(some, hn::Not(stays)), d, spare + back);
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

// Of one vector of latents, evenly spaced.
template <class L>
L QuickMedian(const L* latents, std::size_t n) {
  const hn::ScalableTag<L> d;
  constexpr std::size_t kN = kVectorLatents<L>;
  HWY_ALIGN L some[kN];
  const std::size_t step = n / kN;
  for (std::size_t i = 0; i < kN; ++i) some[i] = latents[i * step];
  const auto values = hn::Load(d, some);
  auto ranks = hn::Zero(d);
  for (std::size_t i = 0; i < kN; ++i) {
    ranks = CountIn(d, ranks, hn::Lt(hn::Set(d, some[i]), values));
  }
  // Equal ones have the rank of the first.
  const auto is_low = hn::Lt(ranks, hn::Set(d, kN / 2 + 1));
  return hn::GetLane(hn::MaxOfLanes(d, hn::IfThenElseZero(is_low, values)));
}

template <class L>
L Median(const L* latents, std::size_t n) {
  if (n < kManyLatents) return QuickMedian(latents, n);
  constexpr std::size_t kN = 2 * kVectorLatents<L>;
  HWY_ALIGN L some[kN];
  const std::size_t step = n / kN;
  for (std::size_t i = 0; i < kN; ++i) some[i] = latents[i * step];
  SortByRank<2>(some, kN);
  return some[kN / 2];
}

// spare: of the same length; behind both, a vector may be written.
template <class L>
void Sort(L* latents, std::size_t n, L* spare, unsigned depth) {
  while (n > kFewLatents<L>) {
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
}  // namespace numpact
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/dispatch.hpp"

namespace numpact {

NUMPACT_EXPORT(SortIfFast32);
NUMPACT_EXPORT(SortIfFast64);

template <>
bool sort_if_fast(std::uint32_t* latents, std::size_t n, std::uint32_t* spare) {
  return NUMPACT_DISPATCH(SortIfFast32)(latents, n, spare);
}
template <>
bool sort_if_fast(std::uint64_t* latents, std::size_t n, std::uint64_t* spare) {
  return NUMPACT_DISPATCH(SortIfFast64)(latents, n, spare);
}

}  // namespace numpact
#endif
