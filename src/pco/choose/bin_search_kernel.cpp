// SPDX-License-Identifier: Apache-2.0
// For each end first all candidates are put side by side, so that their costs vectorise.
#include "pco/choose/bin_search_kernel.hpp"

#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/choose/bin_search_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <bit>

#include "pco/stats/log2.hpp"

HWY_BEFORE_NAMESPACE();
namespace numpact {
namespace HWY_NAMESPACE {

constexpr float kLog2E = 1.442695f;

constexpr std::size_t kStep = 8;  // of the loops over candidates, so that none has a rest

// The last merged bins that may end at one place.
struct Candidates {
  static constexpr std::size_t kMost = kNearStarts + 64 + kStep;

  float widths[kMost];
  float counts[kMost];
  float bests[kMost];  // of what lies before
  std::uint32_t starts[kMost];
  std::size_t n = 0;

  HWY_INLINE void add(std::size_t start, unsigned width, float count, float best) {
    widths[n] = static_cast<float>(width);
    counts[n] = count;
    bests[n] = best;
    starts[n++] = static_cast<std::uint32_t>(start);
  }
  HWY_INLINE void fill_up() {
    while (n % kStep != 0) add(0, 0, 1, 1e30f);
  }
};

HWY_INLINE std::size_t Cheapest(const Candidates& candidates, float log_total, float meta_bits,
                                float min_count, float& cost) {
  float costs[Candidates::kMost] = {};
  for (std::size_t i = 0; i < candidates.n; ++i) {
    const float count = candidates.counts[i];
    // A weight cannot be under 1: what it has too much is taken from all other bins.
    const float weighed = count < min_count ? min_count : count;
    costs[i] = candidates.bests[i] + meta_bits + (weighed - count) * kLog2E +
               count * (log_total - fast_log2(weighed) + candidates.widths[i]);
  }
  // Side by side; the order of comparisons decides nothing but ties.
  float least[kStep];
  for (std::size_t lane = 0; lane < kStep; ++lane) least[lane] = costs[lane];
  for (std::size_t i = kStep; i < candidates.n; i += kStep) {
    for (std::size_t lane = 0; lane < kStep; ++lane) {
      least[lane] = costs[i + lane] < least[lane] ? costs[i + lane] : least[lane];
    }
  }
  cost = least[0];
  for (std::size_t lane = 1; lane < kStep; ++lane) cost = least[lane] < cost ? least[lane] : cost;
  std::size_t chosen = 0;
  while (costs[chosen] != cost) ++chosen;
  return chosen;
}

template <class L>
float MergeBins(const MergeProblem<L>& problem, float* HWY_RESTRICT best,
                std::uint32_t* HWY_RESTRICT starts) {
  const L* HWY_RESTRICT lowers = problem.lowers;
  const float* HWY_RESTRICT cumulative = problem.cumulative;
  std::uint32_t first_fitting[kBits<L> + 1] = {};  // by offset width
  Candidates candidates;
  best[0] = 0;
  starts[0] = 0;
  for (std::size_t j = 1; j <= problem.n; ++j) {
    const L upper = problem.uppers[j - 1];
    const float count_end = cumulative[j];
    const std::size_t near = j > kNearStarts ? j - kNearStarts : 0;
    candidates.n = 0;
    for (std::size_t i = near; i < j; ++i) {
      const unsigned width =
          static_cast<unsigned>(std::bit_width(static_cast<L>(upper - lowers[i])));
      candidates.add(i, width, count_end - cumulative[i], best[i]);
    }
    std::uint32_t last = static_cast<std::uint32_t>(near);
    const unsigned near_width =
        static_cast<unsigned>(std::bit_width(static_cast<L>(upper - lowers[near])));
    for (unsigned width = near_width; last > 0 && width <= kBits<L>; ++width) {
      std::uint32_t start = first_fitting[width];
      while (width < kBits<L> && static_cast<L>(upper - lowers[start]) >> width != 0) ++start;
      first_fitting[width] = start;
      if (start >= last) continue;
      last = start;
      candidates.add(start, width, count_end - cumulative[start], best[start]);
    }
    candidates.fill_up();
    const std::size_t chosen =
        Cheapest(candidates, problem.log_total, problem.meta_bits, problem.min_count, best[j]);
    starts[j] = candidates.starts[chosen];
  }
  return best[problem.n];
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
