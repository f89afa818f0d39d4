// SPDX-License-Identifier: Apache-2.0
// Sixteen starts at once. Finding far starts costs more than pricing them: some ends share them.
#include "pco/choose/bin_search_kernel.hpp"

#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/choose/bin_search_kernel.cpp"
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

// Offset widths of bins from a vector of neighbouring starts up to `upper`.
template <class L>
HWY_INLINE VF WidthsFrom(DF df, L upper, const L* HWY_RESTRICT lowers) {
  // The exponent of the range as a float.
  if constexpr (sizeof(L) <= 2) {
    const hn::RebindToSigned<DF> di;
    const auto starts = hn::PromoteTo(di, hn::LoadU(hn::Rebind<L, DF>(), lowers));
    const auto ranges = hn::Sub(hn::Set(di, static_cast<std::int32_t>(upper)), starts);
    const auto floats = hn::BitCast(di, hn::ConvertTo(df, ranges));
    const auto exponents = hn::Sub(hn::ShiftRight<23>(floats), hn::Set(di, 126));
    return hn::ConvertTo(df, hn::Max(exponents, hn::Zero(di)));
  }
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  // Without the bit below the top one it is not rounded up.
  if constexpr (sizeof(L) == 8) {
    const __m512i uppers = _mm512_set1_epi64(static_cast<long long>(upper));
    __m256 halves[2];
    for (std::size_t half = 0; half < 2; ++half) {
      const __m512i ranges = _mm512_sub_epi64(uppers, _mm512_loadu_si512(lowers + 8 * half));
      const __m512i tops = _mm512_andnot_si512(_mm512_srli_epi64(ranges, 1), ranges);
      const __m512i floats = _mm512_castpd_si512(_mm512_cvtepu64_pd(tops));
      const __m512i exponents =
          _mm512_sub_epi64(_mm512_srli_epi64(floats, 52), _mm512_set1_epi64(1022));
      halves[half] = _mm512_cvtepi64_ps(_mm512_max_epi64(exponents, _mm512_setzero_si512()));
    }
    return VF{_mm512_insertf32x8(_mm512_castps256_ps512(halves[0]), halves[1], 1)};
  } else if constexpr (sizeof(L) == 4) {
    const __m512i ranges =
        _mm512_sub_epi32(_mm512_set1_epi32(static_cast<int>(upper)), _mm512_loadu_si512(lowers));
    const __m512i tops = _mm512_andnot_si512(_mm512_srli_epi32(ranges, 1), ranges);
    const __m512i floats = _mm512_castps_si512(_mm512_cvtepu32_ps(tops));
    const __m512i exponents =
        _mm512_sub_epi32(_mm512_srli_epi32(floats, 23), _mm512_set1_epi32(126));
    return VF{_mm512_cvtepi32_ps(_mm512_max_epi32(exponents, _mm512_setzero_si512()))};
  }
#endif
  HWY_ALIGN float widths[kNearStarts];
  for (std::size_t i = 0; i < hn::Lanes(df); ++i) {
    widths[i] = static_cast<float>(std::bit_width(static_cast<L>(upper - lowers[i])));
  }
  return hn::Load(df, widths);
}

// Starts that are tried for several ends.
struct Starts {
  static constexpr std::size_t kMost = kNearStarts + 64;

  HWY_ALIGN float widths[kMost];      // of the bin's offsets
  HWY_ALIGN float cumulative[kMost];  // latents before
  HWY_ALIGN float bests[kMost];       // what those cost
  std::uint32_t starts[kMost];
  std::size_t n = 0;

  HWY_INLINE void add(std::size_t start, float width, float before, float best) {
    widths[n] = width;
    cumulative[n] = before;
    bests[n] = best;
    starts[n++] = static_cast<std::uint32_t>(start);
  }
  HWY_INLINE void fill_up() {
    while (n % kNearStarts != 0) add(0, 0, 0, kNever);
  }
};

template <class L>
class Merger {
 public:
  Merger(const MergeProblem<L>& problem, float* best, std::uint32_t* starts)
      : problem_(problem), best_(best), starts_(starts) {}

  float run() {
    best_[0] = 0;
    starts_[0] = 0;
    std::size_t j = 1;
    for (; j <= problem_.n && j < kNearStarts; ++j) end_at_first(j);
    if (problem_.n <= kAllStarts) {
      for (; j <= problem_.n; ++j) end_at_any(j);
    }
    const std::size_t ends = problem_.n < kFewBins ? 1 : kManyEnds;
    for (; j <= problem_.n; j += ends) {
      const std::size_t last = std::min(j + ends - 1, problem_.n);
      find_far(j, last);
      for (std::size_t end = j; end <= last; ++end) end_at(end);
    }
    return best_[problem_.n];
  }

 private:
  // Ends that share their far starts, which must suit the last of them, where there are many bins.
  static constexpr std::size_t kManyEnds = 4;
  static constexpr std::size_t kFewBins = 512;

  // Costs of kNearStarts starts; width_at(i): vector of their widths from the i-th on.
  template <class Widths>
  HWY_INLINE void costs(const float* bests, const float* cumulative, const Widths& width_at,
                        float count_end, float* HWY_RESTRICT out) const {
    const DF df;
    const auto min_count = hn::Set(df, problem_.min_count);
    for (std::size_t i = 0; i < kNearStarts; i += hn::Lanes(df)) {
      const auto count = hn::Sub(hn::Set(df, count_end), hn::LoadU(df, cumulative + i));
      // A weight cannot be under 1: what it has too much is taken from all other bins.
      const auto weighed = hn::Max(count, min_count);
      const auto code = hn::Sub(hn::Set(df, problem_.log_total), Log2(df, weighed));
      const auto excess = hn::Mul(hn::Sub(weighed, count), hn::Set(df, kLog2E));
      const auto fixed =
          hn::Add(hn::Add(hn::LoadU(df, bests + i), hn::Set(df, problem_.meta_bits)), excess);
      const auto bits = hn::Mul(count, hn::Add(code, width_at(i)));
      hn::Store(hn::Add(fixed, bits), df, out + i);
    }
  }
  // Neighbouring starts.
  HWY_INLINE void costs_from(std::size_t start, std::size_t end, float* HWY_RESTRICT out) const {
    const L upper = problem_.uppers[end - 1];
    const L* const lowers = problem_.lowers + start;
    const auto width_at = [=](std::size_t i)
                              HWY_ATTR { return WidthsFrom(DF(), upper, lowers + i); };
    costs(best_ + start, problem_.cumulative + start, width_at, problem_.cumulative[end], out);
  }
  HWY_INLINE void costs_of(const Starts& some, std::size_t first, std::size_t end,
                           float* HWY_RESTRICT out) const {
    const float* const widths = some.widths + first;
    const auto width_at = [=](std::size_t i) HWY_ATTR { return hn::LoadU(DF(), widths + i); };
    costs(some.bests + first, some.cumulative + first, width_at, problem_.cumulative[end], out);
  }

  // The first of n costs that is the least; n: a multiple of kNearStarts.
  static HWY_INLINE std::size_t least(const float* HWY_RESTRICT all, std::size_t n, float& cost) {
    const DF df;
    auto lanes = hn::Load(df, all);
    for (std::size_t i = hn::Lanes(df); i < n; i += hn::Lanes(df)) {
      lanes = hn::Min(lanes, hn::Load(df, all + i));
    }
    const auto min = hn::MinOfLanes(df, lanes);
    cost = hn::GetLane(min);
    std::size_t i = 0;
    for (; i + hn::Lanes(df) < n; i += hn::Lanes(df)) {
      const std::intptr_t at = hn::FindFirstTrue(df, hn::Eq(hn::Load(df, all + i), min));
      if (at >= 0) return i + static_cast<std::size_t>(at);
    }
    while (all[i] != cost) ++i;
    return i;
  }

  // Where fewer than kNearStarts starts exist.
  void end_at_first(std::size_t j) {
    Starts near;
    for (std::size_t i = 0; i < j; ++i) {
      const L range = static_cast<L>(problem_.uppers[j - 1] - problem_.lowers[i]);
      near.add(i, static_cast<float>(std::bit_width(range)), problem_.cumulative[i], best_[i]);
    }
    near.fill_up();
    HWY_ALIGN float all[kNearStarts];
    costs_of(near, 0, j, all);
    starts_[j] = near.starts[least(all, kNearStarts, best_[j])];
  }

  // All starts, in steps that overlap at the first ones.
  void end_at_any(std::size_t j) {
    HWY_ALIGN float all[kAllStarts + kNearStarts];
    const std::size_t steps = (j + kNearStarts - 1) / kNearStarts;
    const auto start_of = [=](std::size_t step) {
      return step + 1 < steps ? step * kNearStarts : j - kNearStarts;
    };
    for (std::size_t step = 0; step < steps; ++step) {
      costs_from(start_of(step), j, all + step * kNearStarts);
    }
    const std::size_t chosen = least(all, steps * kNearStarts, best_[j]);
    starts_[j] = static_cast<std::uint32_t>(start_of(chosen / kNearStarts) + chosen % kNearStarts);
  }

  void end_at(std::size_t j) {
    const std::size_t near = j - kNearStarts;
    HWY_ALIGN float all[kNearStarts + Starts::kMost];
    costs_from(near, j, all);
    for (std::size_t i = 0; i < far_.n; i += kNearStarts) {
      costs_of(far_, i, j, all + kNearStarts + i);
    }
    const std::size_t chosen = least(all, kNearStarts + far_.n, best_[j]);
    starts_[j] = chosen < kNearStarts ? static_cast<std::uint32_t>(near + chosen)
                                      : far_.starts[chosen - kNearStarts];
  }

  // For each offset width the first start that fits, of those too far from end `first`.
  void find_far(std::size_t first, std::size_t last) {
    const L* const lowers = problem_.lowers;
    const L upper = problem_.uppers[last - 1];
    far_.n = 0;
    std::uint32_t before = static_cast<std::uint32_t>(first - kNearStarts);
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
  return Merger<L>(problem, best, starts).run();
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
  HWY_EXPORT(MergeBins##S);                                                                 \
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
