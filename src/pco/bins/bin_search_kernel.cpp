// SPDX-License-Identifier: Apache-2.0
// The dynamic program of merge_bins(), with sixteen starts per step.
//
// Invariant: before end j is searched, best[i] and starts[i] are final for all i < j. The starts of
// end j fall into three groups:
//
//   0 .............. j - 19 .............. j - 3 ........ j
//    far: one start     near: one vector    recent: three
//    per offset width   of 16 starts        scalar steps
//
// Recent starts are scalar because a vector load of best[] would wait for the stores of the last
// ends. Their bin costs do not depend on best[] and are computed beforehand (cost_recent).
// Searching far starts takes longer than computing their costs, so several ends share one search.
//
// Example: bins of one value each at 0 1 2 9, counts 4 each, total 16. End 3 covers values 0 to 2.
// As one bin it has a width of 2 bits and 12 latents: meta + 12 * (log2(16 / 12) + 2) bits. As
// three bins it takes 3 * meta + 12 * log2(16 / 4) bits. So one bin is cheaper if 2 * meta
// exceeds 4.98 bits.
#include "pco/bins/bin_search_kernel.hpp"

#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/bins/bin_search_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>

#include "pco/stats/log2-inl.hpp"

#if NUMPACT_VECTOR_KERNEL
HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr float kLog2E = 1.442695f;     // log2(e)
constexpr float kInfiniteBits = 1e30f;  // exceeds the cost of any bins

using DF = hn::CappedTag<float, kNearStartsN>;
using VF = hn::Vec<DF>;

// The upper ends of the bins of a vector of starts: the same for all, or one per start.
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

// Offset widths, bit_width(upper - lower), of the bins of a vector of consecutive starts.
template <class L, class Uppers>
HWY_INLINE VF WidthsFrom(DF df, const Uppers& uppers, const L* HWY_RESTRICT lowers) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  // bit_width(range) is the exponent of the range as a float, plus 1. Clearing the bit below the
  // top bit keeps the conversion from rounding up to the next power of two.
  const auto widths = [=](__m512 tops) HWY_ATTR {
    const auto exponents = VF{_mm512_getexp_ps(tops)};  // minus infinity for a range of 0
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
#elif HWY_TARGET == HWY_SCALAR
  return hn::Set(df, static_cast<float>(std::bit_width(static_cast<L>(uppers.at(0) - lowers[0]))));
#else
  // bit_width(range) from the exponent of the range as a float.
  const hn::RebindToSigned<DF> di;
  const hn::RebindToUnsigned<DF> du;
  const auto width_of = [=](auto tops) HWY_ATTR {
    const auto floats = hn::BitCast(di, hn::ConvertTo(df, hn::BitCast(di, tops)));
    const auto exponents = hn::Sub(hn::ShiftRight<23>(floats), hn::Set(di, 126));
    return hn::ConvertTo(df, hn::Max(exponents, hn::Zero(di)));
  };
  // Clearing the bit below the top bit keeps the conversion from rounding up to the next power of
  // two. The top bit of all is the sign.
  const auto wide_width_of = [=](auto ranges) HWY_ATTR {
    const auto widths = width_of(hn::AndNot(hn::ShiftRight<1>(ranges), ranges));
    return hn::IfNegativeThenElse(hn::BitCast(df, ranges), hn::Set(df, 32), widths);
  };
  if constexpr (sizeof(L) <= 2) {
    const auto starts = hn::PromoteTo(du, hn::LoadU(hn::Rebind<L, DF>(), lowers));
    return width_of(hn::Sub(LoadUppers(du, uppers, 0), starts));
  } else if constexpr (sizeof(L) == 4) {
    return wide_width_of(hn::Sub(LoadUppers(du, uppers, 0), hn::LoadU(du, lowers)));
  } else {
    const hn::Repartition<L, DF> d;
    const auto half = [&](std::size_t first) HWY_ATTR {
      const auto ranges = hn::Sub(LoadUppers(d, uppers, first), hn::LoadU(d, lowers + first));
      return hn::BitCast(du, ranges);
    };
    const auto lower_half = half(0);
    const auto upper_half = half(hn::Lanes(d));
    const auto high = hn::ConcatOdd(du, upper_half, lower_half);
    const auto low = hn::ConcatEven(du, upper_half, lower_half);
    const auto is_low = hn::Eq(high, hn::Zero(du));
    const auto more = hn::IfThenZeroElse(hn::RebindMask(df, is_low), hn::Set(df, 32));
    return hn::Add(more, wide_width_of(hn::IfThenElse(is_low, low, high)));
  }
#endif
}

// log2 of counts of at least 1, with the same result as Log2.
HWY_INLINE VF LogOfCounts(DF df, VF counts) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  const VF mantissas{_mm512_getmant_ps(counts.raw, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_src)};
  return Log2Of(df, VF{_mm512_getexp_ps(counts.raw)}, mantissas);
#else
  return Log2(df, counts);
#endif
}

// Far starts that several ends try, as arrays for vector loads.
struct FarStarts {
  // At most one start per offset width, padded to whole vectors.
  static constexpr std::size_t kMaxStartsN = kNearStartsN + 64;

  HWY_ALIGN float widths[kMaxStartsN];      // offset width of the bin
  HWY_ALIGN float cumulative[kMaxStartsN];  // latents before the start
  HWY_ALIGN float bests[kMaxStartsN];       // best cost of the bins before
  HWY_ALIGN std::int32_t starts[kMaxStartsN];
  std::size_t n = 0;

  HWY_INLINE void add(std::size_t start, float width, float before, float best) {
    widths[n] = width;
    cumulative[n] = before;
    bests[n] = best;
    starts[n++] = static_cast<std::int32_t>(start);
  }
  HWY_INLINE void fill_up() {
    while (n % kNearStartsN != 0) add(0, 0, 0, kInfiniteBits);
  }
};

// The cheapest start so far. Of starts of equal cost the first one counts. Since starts are
// considered in ascending order, the result does not depend on the number of lanes.
class CheapestStart {
  using DI = hn::RebindToSigned<DF>;
  using VI = hn::Vec<DI>;

 public:
  HWY_INLINE CheapestStart() : costs_(hn::Set(DF(), kInfiniteBits)), starts_(hn::Zero(DI())) {}

  HWY_INLINE void consider(VF costs, VI starts) {
    const auto is_cheaper = hn::Lt(costs, costs_);
    costs_ = hn::IfThenElse(is_cheaper, costs, costs_);
    starts_ = hn::IfThenElse(hn::RebindMask(DI(), is_cheaper), starts, starts_);
  }
  // The cheapest start of all lanes, and its cost.
  HWY_INLINE std::uint32_t take(float& cost) const {
    const DF df;
    const auto min_cost = hn::MinOfLanes(df, costs_);
    cost = hn::GetLane(min_cost);
    const auto is_min = hn::Eq(costs_, min_cost);
    HWY_ALIGN std::int32_t starts[kNearStartsN];
    const DI di;
    hn::Store(starts_, di, starts);
    if (hn::CountTrue(df, is_min) == 1) {
      return static_cast<std::uint32_t>(starts[hn::FindFirstTrue(df, is_min)]);
    }
    const auto others = hn::Set(di, std::int32_t{0x7fffffff});
    const auto lane_starts = hn::IfThenElse(hn::RebindMask(di, is_min), starts_, others);
    return static_cast<std::uint32_t>(hn::GetLane(hn::MinOfLanes(di, lane_starts)));
  }

 private:
  VF costs_;
  VI starts_;
};

// kHasFloor: some bins have fewer latents than one state of the table stands for. Such a bin still
// takes one state, and the surplus weight makes the codes of all other bins longer.
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
    for (; j <= n && j < kNearStartsN + kRecentStartsN; ++j) find_first_ends(j);
    if (n <= kMaxExhaustiveBinsN) {
      for (; j <= n; ++j) find_exhaustively(j);
    }
    const std::size_t ends_n = n < kMinBinsForSharedSearchN ? 1 : kEndsPerSearchN;
    for (; j <= n; j += ends_n) {
      const std::size_t last = std::min(j + ends_n - 1, n);
      find_far(j, last);
      for (std::size_t end = j; end <= last; ++end) find_pruned(end);
    }
    return best_[n];
  }

 private:
  // With at least kMinBinsForSharedSearchN bins this many consecutive ends share their far starts,
  // which are searched for the last of them. Sharing is faster but fits the others worse.
  static constexpr std::size_t kEndsPerSearchN = 4;
  static constexpr std::size_t kMinBinsForSharedSearchN = 512;

  // Costs of bins in bits, metadata included.
  HWY_INLINE VF bits_of(VF counts, VF widths) const {
    const DF df;
    const auto meta = hn::Set(df, problem_.meta_bits);
    const auto floored = kHasFloor ? hn::Max(counts, hn::Set(df, problem_.min_count)) : counts;
    const auto codes = hn::Sub(hn::Set(df, problem_.log_total), LogOfCounts(df, floored));
    const auto bits = hn::Mul(counts, hn::Add(codes, widths));
    if (!kHasFloor) return hn::Add(meta, bits);
    const auto excess = hn::Mul(hn::Sub(floored, counts), hn::Set(df, kLog2E));
    return hn::Add(hn::Add(meta, excess), bits);
  }

  // Precomputes the costs of the bins from the recent starts to each end.
  void cost_recent() {
    const DF df;
    for (std::size_t back = 1; back <= kRecentStartsN; ++back) {
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

  // Considers kNearStartsN consecutive starts; kPartial: only the first n of them.
  template <bool kPartial>
  HWY_INLINE void consider_near(std::size_t start, std::size_t n, std::size_t end,
                                CheapestStart& cheapest_start) const {
    const DF df;
    const DI di;
    const OneUpper<L> upper{problem_.uppers[end - 1]};
    const auto count_end = hn::Set(df, problem_.cumulative[end]);
    for (std::size_t i = 0; i < kNearStartsN; i += hn::Lanes(df)) {
      const std::size_t at = start + i;
      const auto counts = hn::Sub(count_end, hn::LoadU(df, problem_.cumulative + at));
      const auto bits = bits_of(counts, WidthsFrom(df, upper, problem_.lowers + at));
      auto costs = hn::Add(hn::LoadU(df, best_ + at), bits);
      if (kPartial) {
        if (i >= n) break;
        costs = hn::IfThenElse(hn::FirstN(df, n - i), costs, hn::Set(df, kInfiniteBits));
      }
      cheapest_start.consider(costs, hn::Iota(di, static_cast<std::int32_t>(at)));
    }
  }

  HWY_INLINE void consider_far(std::size_t end, CheapestStart& cheapest_start) const {
    const DF df;
    const auto count_end = hn::Set(df, problem_.cumulative[end]);
    // find_far() stores starts in descending order; they are considered in ascending order.
    for (std::size_t i = far_.n; i > 0;) {
      i -= hn::Lanes(df);
      const auto counts = hn::Sub(count_end, hn::Load(df, far_.cumulative + i));
      const auto bits = bits_of(counts, hn::Load(df, far_.widths + i));
      cheapest_start.consider(hn::Add(hn::Load(df, far_.bests + i), bits),
                              hn::Load(DI(), far_.starts + i));
    }
  }

  // Finishes end j with the cheaper of `start` and the recent starts.
  HWY_INLINE void choose(std::size_t j, std::uint32_t start, float cost) {
    for (std::size_t back = std::min(j, kRecentStartsN); back > 0; --back) {
      const float recent = best_[j - back] + problem_.recent[back - 1][j - back];
      start = recent < cost ? static_cast<std::uint32_t>(j - back) : start;
      cost = std::min(recent, cost);
    }
    best_[j] = cost;
    starts_[j] = start;
  }

  // For the first ends, which have fewer than kNearStartsN starts before the recent ones.
  void find_first_ends(std::size_t j) {
    std::uint32_t start = 0;
    float cost = kInfiniteBits;
    if (j > kRecentStartsN) {
      CheapestStart cheapest_start;
      consider_near<true>(0, j - kRecentStartsN, j, cheapest_start);
      start = cheapest_start.take(cost);
    }
    choose(j, start, cost);
  }

  // Considers all starts, in vectors of which the last two may overlap.
  void find_exhaustively(std::size_t j) {
    CheapestStart cheapest_start;
    const std::size_t last = j - kRecentStartsN - kNearStartsN;
    for (std::size_t start = 0; start < last; start += kNearStartsN) {
      consider_near<false>(start, kNearStartsN, j, cheapest_start);
    }
    consider_near<false>(last, kNearStartsN, j, cheapest_start);
    float cost = kInfiniteBits;
    const std::uint32_t start = cheapest_start.take(cost);
    choose(j, start, cost);
  }

  void find_pruned(std::size_t j) {
    CheapestStart cheapest_start;
    consider_far(j, cheapest_start);
    consider_near<false>(j - kRecentStartsN - kNearStartsN, kNearStartsN, j, cheapest_start);
    float cost = kInfiniteBits;
    const std::uint32_t start = cheapest_start.take(cost);
    choose(j, start, cost);
  }

  // Fills far_: for each offset width the first start whose bin up to end `last` has at most that
  // width, among the starts before the near ones of end `first`. first_fitting_ only grows with the
  // ends, so all searches together take linear time per width.
  void find_far(std::size_t first, std::size_t last) {
    const L* const lowers = problem_.lowers;
    const L upper = problem_.uppers[last - 1];
    far_.n = 0;
    std::uint32_t before = static_cast<std::uint32_t>(first - kRecentStartsN - kNearStartsN);
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
  FarStarts far_;
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
}  // namespace numpact::internal
HWY_AFTER_NAMESPACE();
#endif  // NUMPACT_VECTOR_KERNEL

#if HWY_ONCE
#include "simd/dispatch.hpp"

namespace numpact::internal {

#define NUMPACT_ENTRY(L, S)                                                                 \
  NUMPACT_EXPORT_VECTOR(MergeBins##S);                                                      \
  template <>                                                                               \
  float merge_bins<L>(const MergeProblem<L>& problem, float* best, std::uint32_t* starts) { \
    return NUMPACT_DISPATCH(MergeBins##S)(problem, best, starts);                           \
  }
NUMPACT_ENTRY(std::uint8_t, 8)
NUMPACT_ENTRY(std::uint16_t, 16)
NUMPACT_ENTRY(std::uint32_t, 32)
NUMPACT_ENTRY(std::uint64_t, 64)
#undef NUMPACT_ENTRY

}  // namespace numpact::internal
#endif
