// SPDX-License-Identifier: Apache-2.0
// Sixteen starts at once, but for the last three before an end: vectors that were stored to a
// moment ago are slow to load, and each end waits for the one before it. Finding far starts costs
// more than pricing them: some ends share them.
#include "pco/bins/bin_search_kernel.hpp"

#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/bins/bin_search_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>

#include "pco/stats/log2-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace numpact {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr float kLog2E = 1.442695f;
constexpr float kNever = 1e30f;  // costs more than any bin

using DF = hn::CappedTag<float, kNearStarts>;
using VF = hn::Vec<DF>;

// Upper ends of bins: one for all starts, or each start's own.
template <class L>
struct OneUpper {
  L upper;
  L at(std::size_t) const { return upper; }
};
template <class L>
struct OwnUppers {
  const L* uppers;
  L at(std::size_t i) const { return uppers[i]; }
};

template <class D, class L>
HWY_INLINE hn::Vec<D> LoadUppers(D d, OneUpper<L> upper, std::size_t) {
  return hn::Set(d, static_cast<hn::TFromD<D>>(upper.upper));
}
template <class D, class L>
HWY_INLINE hn::Vec<D> LoadUppers(D d, OwnUppers<L> own, std::size_t first) {
  if constexpr (sizeof(hn::TFromD<D>) == sizeof(L)) {
    return hn::LoadU(d, own.uppers + first);
  } else {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<L, D>(), own.uppers + first));
  }
}

// Offset widths of bins from a vector of neighbouring starts.
template <class L, class Uppers>
HWY_INLINE VF WidthsFrom(DF df, const Uppers& uppers, const L* HWY_RESTRICT lowers) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  // Exponents of floats. Without the bit below the top one they are not rounded up.
  const auto widths = [=](__m512 tops) HWY_ATTR {
    const auto exponents = VF{_mm512_getexp_ps(tops)};  // of 0 less than any
    return hn::Max(hn::Add(exponents, hn::Set(df, 1.0f)), hn::Zero(df));
  };
  if constexpr (sizeof(L) == 8) {
    const hn::ScalableTag<L> d;
    const auto half = [&](std::size_t first) HWY_ATTR {
      const auto ranges = hn::Sub(LoadUppers(d, uppers, first), hn::LoadU(d, lowers + first));
      return _mm512_cvtepu64_ps(hn::AndNot(hn::ShiftRight<1>(ranges), ranges).raw);
    };
    return widths(_mm512_insertf32x8(_mm512_castps256_ps512(half(0)), half(8), 1));
  } else {
    const hn::RebindToUnsigned<DF> d;
    const auto ranges_from = [&](auto starts) HWY_ATTR {
      const auto ranges = hn::Sub(LoadUppers(d, uppers, 0), starts);
      return widths(_mm512_cvtepu32_ps(hn::AndNot(hn::ShiftRight<1>(ranges), ranges).raw));
    };
    if constexpr (sizeof(L) == 4) {
      return ranges_from(hn::LoadU(d, lowers));
    } else {
      return ranges_from(hn::PromoteTo(d, hn::LoadU(hn::Rebind<L, decltype(d)>(), lowers)));
    }
  }
#else
  if constexpr (sizeof(L) <= 2) {
    // The exponent of the range as a float.
    const hn::RebindToSigned<DF> di;
    const auto starts = hn::PromoteTo(di, hn::LoadU(hn::Rebind<L, DF>(), lowers));
    const auto ranges = hn::Sub(LoadUppers(di, uppers, 0), starts);
    const auto floats = hn::BitCast(di, hn::ConvertTo(df, ranges));
    const auto exponents = hn::Sub(hn::ShiftRight<23>(floats), hn::Set(di, 126));
    return hn::ConvertTo(df, hn::Max(exponents, hn::Zero(di)));
  } else {
    HWY_ALIGN float widths[kNearStarts];
    for (std::size_t i = 0; i < hn::Lanes(df); ++i) {
      widths[i] = static_cast<float>(std::bit_width(static_cast<L>(uppers.at(i) - lowers[i])));
    }
    return hn::Load(df, widths);
  }
#endif
}

// Of counts of 1 and more; the same as Log2.
HWY_INLINE VF LogOfCounts(DF df, VF counts) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  const VF mantissas{_mm512_getmant_ps(counts.raw, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_src)};
  return Log2Of(df, VF{_mm512_getexp_ps(counts.raw)}, mantissas);
#else
  return Log2(df, counts);
#endif
}

// Starts that are tried for several ends.
struct Starts {
  static constexpr std::size_t kMost = kNearStarts + 64;

  HWY_ALIGN float widths[kMost];      // of the bin's offsets
  HWY_ALIGN float cumulative[kMost];  // latents before
  HWY_ALIGN float bests[kMost];       // what those cost
  HWY_ALIGN std::int32_t starts[kMost];
  std::size_t n = 0;

  HWY_INLINE void add(std::size_t start, float width, float before, float best) {
    widths[n] = width;
    cumulative[n] = before;
    bests[n] = best;
    starts[n++] = static_cast<std::int32_t>(start);
  }
  HWY_INLINE void fill_up() {
    while (n % kNearStarts != 0) add(0, 0, 0, kNever);
  }
};

// The cheapest start of each lane so far, of equal ones the first: whatever the number of lanes, if
// starts are offered in ascending order.
class Cheapest {
  using DI = hn::RebindToSigned<DF>;
  using VI = hn::Vec<DI>;

 public:
  HWY_INLINE Cheapest() : costs_(hn::Set(DF(), kNever)), starts_(hn::Zero(DI())) {}

  HWY_INLINE void offer(VF costs, VI starts) {
    const auto is_less = hn::Lt(costs, costs_);
    costs_ = hn::IfThenElse(is_less, costs, costs_);
    starts_ = hn::IfThenElse(hn::RebindMask(DI(), is_less), starts, starts_);
  }
  // Of all lanes.
  HWY_INLINE std::uint32_t take(float& cost) const {
    const DF df;
    const auto least = hn::MinOfLanes(df, costs_);
    cost = hn::GetLane(least);
    const auto is_least = hn::Eq(costs_, least);
    HWY_ALIGN std::int32_t starts[kNearStarts];
    const DI di;
    hn::Store(starts_, di, starts);
    if (hn::CountTrue(df, is_least) == 1) {
      return static_cast<std::uint32_t>(starts[hn::FindFirstTrue(df, is_least)]);
    }
    const auto others = hn::Set(di, std::int32_t{0x7fffffff});
    const auto some = hn::IfThenElse(hn::RebindMask(di, is_least), starts_, others);
    return static_cast<std::uint32_t>(hn::GetLane(hn::MinOfLanes(di, some)));
  }

 private:
  VF costs_;
  VI starts_;
};

// kHasFloor: a weight cannot be under 1: what it has too much is taken from all other bins.
template <class L, bool kHasFloor>
class Merger {
  using DI = hn::RebindToSigned<DF>;

 public:
  Merger(const MergeProblem<L>& problem, float* best, std::uint32_t* starts)
      : problem_(problem), best_(best), starts_(starts) {}

  float run() {
    best_[0] = 0;
    starts_[0] = 0;
    cost_recent();
    const std::size_t n = problem_.n;
    std::size_t j = 1;
    for (; j <= n && j < kNearStarts + kRecentStarts; ++j) end_at_first(j);
    if (n <= kAllStarts) {
      for (; j <= n; ++j) end_at_any(j);
    }
    const std::size_t ends = n < kFewBins ? 1 : kManyEnds;
    for (; j <= n; j += ends) {
      const std::size_t last = std::min(j + ends - 1, n);
      find_far(j, last);
      for (std::size_t end = j; end <= last; ++end) end_at(end);
    }
    return best_[n];
  }

 private:
  // Ends that share their far starts, which must suit the last of them, where there are many bins.
  static constexpr std::size_t kManyEnds = 4;
  static constexpr std::size_t kFewBins = 512;

  // What bins take, their metadata included.
  HWY_INLINE VF bits_of(VF counts, VF widths) const {
    const DF df;
    const auto meta = hn::Set(df, problem_.meta_bits);
    const auto weighed = kHasFloor ? hn::Max(counts, hn::Set(df, problem_.min_count)) : counts;
    const auto codes = hn::Sub(hn::Set(df, problem_.log_total), LogOfCounts(df, weighed));
    const auto bits = hn::Mul(counts, hn::Add(codes, widths));
    if (!kHasFloor) return hn::Add(meta, bits);
    const auto excess = hn::Mul(hn::Sub(weighed, counts), hn::Set(df, kLog2E));
    return hn::Add(hn::Add(meta, excess), bits);
  }

  // The last starts before an end wait for nothing but what came before them.
  void cost_recent() {
    const DF df;
    for (std::size_t back = 1; back <= kRecentStarts; ++back) {
      float* const costs = problem_.recent[back - 1];
      for (std::size_t start = 0; start + back <= problem_.n; start += hn::Lanes(df)) {
        const auto counts = hn::Sub(hn::LoadU(df, problem_.cumulative + start + back),
                                    hn::LoadU(df, problem_.cumulative + start));
        const OwnUppers<L> uppers{problem_.uppers + start + back - 1};
        const auto widths = WidthsFrom(df, uppers, problem_.lowers + start);
        hn::StoreU(bits_of(counts, widths), df, costs + start);
      }
    }
  }

  // kNearStarts neighbouring starts, or the first n of them.
  template <bool kSome>
  HWY_INLINE void offer_from(std::size_t start, std::size_t n, std::size_t end,
                             Cheapest& cheapest) const {
    const DF df;
    const DI di;
    const OneUpper<L> upper{problem_.uppers[end - 1]};
    const auto count_end = hn::Set(df, problem_.cumulative[end]);
    for (std::size_t i = 0; i < kNearStarts; i += hn::Lanes(df)) {
      const std::size_t at = start + i;
      const auto counts = hn::Sub(count_end, hn::LoadU(df, problem_.cumulative + at));
      const auto bits = bits_of(counts, WidthsFrom(df, upper, problem_.lowers + at));
      auto costs = hn::Add(hn::LoadU(df, best_ + at), bits);
      if (kSome) {
        if (i >= n) break;
        costs = hn::IfThenElse(hn::FirstN(df, n - i), costs, hn::Set(df, kNever));
      }
      cheapest.offer(costs, hn::Iota(di, static_cast<std::int32_t>(at)));
    }
  }

  HWY_INLINE void offer_far(std::size_t end, Cheapest& cheapest) const {
    const DF df;
    const auto count_end = hn::Set(df, problem_.cumulative[end]);
    // They were found from the last to the first.
    for (std::size_t i = far_.n; i > 0;) {
      i -= hn::Lanes(df);
      const auto counts = hn::Sub(count_end, hn::Load(df, far_.cumulative + i));
      const auto bits = bits_of(counts, hn::Load(df, far_.widths + i));
      cheapest.offer(hn::Add(hn::Load(df, far_.bests + i), bits), hn::Load(DI(), far_.starts + i));
    }
  }

  // The cheapest of those offered and of the last starts.
  HWY_INLINE void choose(std::size_t j, std::uint32_t start, float cost) {
    for (std::size_t back = std::min(j, kRecentStarts); back > 0; --back) {
      const float recent = best_[j - back] + problem_.recent[back - 1][j - back];
      start = recent < cost ? static_cast<std::uint32_t>(j - back) : start;
      cost = std::min(recent, cost);
    }
    best_[j] = cost;
    starts_[j] = start;
  }

  // Where fewer than kNearStarts starts are to be offered.
  void end_at_first(std::size_t j) {
    std::uint32_t start = 0;
    float cost = kNever;
    if (j > kRecentStarts) {
      Cheapest cheapest;
      offer_from<true>(0, j - kRecentStarts, j, cheapest);
      start = cheapest.take(cost);
    }
    choose(j, start, cost);
  }

  // All starts, in steps of which the last two may overlap.
  void end_at_any(std::size_t j) {
    Cheapest cheapest;
    const std::size_t last = j - kRecentStarts - kNearStarts;
    for (std::size_t start = 0; start < last; start += kNearStarts) {
      offer_from<false>(start, kNearStarts, j, cheapest);
    }
    offer_from<false>(last, kNearStarts, j, cheapest);
    float cost = kNever;
    const std::uint32_t start = cheapest.take(cost);
    choose(j, start, cost);
  }

  void end_at(std::size_t j) {
    Cheapest cheapest;
    offer_far(j, cheapest);
    offer_from<false>(j - kRecentStarts - kNearStarts, kNearStarts, j, cheapest);
    float cost = kNever;
    const std::uint32_t start = cheapest.take(cost);
    choose(j, start, cost);
  }

  // For each offset width the first start that fits, of those too far from end `first`.
  void find_far(std::size_t first, std::size_t last) {
    const L* const lowers = problem_.lowers;
    const L upper = problem_.uppers[last - 1];
    far_.n = 0;
    std::uint32_t before = static_cast<std::uint32_t>(first - kRecentStarts - kNearStarts);
    const L near_range = static_cast<L>(upper - lowers[before]);
    unsigned width = static_cast<unsigned>(std::bit_width(near_range));
    for (; before > 0 && width <= kBits<L>; ++width) {
      std::uint32_t start = first_fitting_[width];
      while (width < kBits<L> && static_cast<L>(upper - lowers[start]) >> width != 0) ++start;
      first_fitting_[width] = start;
      if (start >= before) continue;
      before = start;
      far_.add(start, static_cast<float>(width), problem_.cumulative[start], best_[start]);
    }
    far_.fill_up();
  }

  const MergeProblem<L>& problem_;
  float* best_;
  std::uint32_t* starts_;
  std::uint32_t first_fitting_[kBits<L> + 1] = {};  // by offset width
  Starts far_;
};

template <class L>
float MergeBins(const MergeProblem<L>& problem, float* best, std::uint32_t* starts) {
  if (problem.min_count > 1) return Merger<L, true>(problem, best, starts).run();
  return Merger<L, false>(problem, best, starts).run();
}

#define NUMPACT_KERNEL(L, S)                                                               \
  float MergeBins##S(const MergeProblem<L>& problem, float* best, std::uint32_t* starts) { \
    return MergeBins(problem, best, starts);                                               \
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

#define NUMPACT_DOOR(L, S)                                                                  \
  NUMPACT_EXPORT(MergeBins##S);                                                             \
  template <>                                                                               \
  float merge_bins<L>(const MergeProblem<L>& problem, float* best, std::uint32_t* starts) { \
    return NUMPACT_DISPATCH(MergeBins##S)(problem, best, starts);                           \
  }
NUMPACT_DOOR(std::uint8_t, 8)
NUMPACT_DOOR(std::uint16_t, 16)
NUMPACT_DOOR(std::uint32_t, 32)
NUMPACT_DOOR(std::uint64_t, 64)
#undef NUMPACT_DOOR

}  // namespace numpact
#endif
