// SPDX-License-Identifier: Apache-2.0
// Three passes, so that all but the widths vectorise: offset widths, costs, the least cost.
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

template <class L>
float CheapestMerge(const MergeStep<L>& step, float* HWY_RESTRICT widths,
                    float* HWY_RESTRICT candidates, std::uint32_t& start) {
  const L* HWY_RESTRICT lowers = step.lowers;
  const float* HWY_RESTRICT cumulative = step.cumulative;
  const float* HWY_RESTRICT best = step.best;
  for (std::size_t i = step.first; i < step.end; ++i) {
    widths[i] = static_cast<float>(std::bit_width(static_cast<L>(step.upper - lowers[i])));
  }
  for (std::size_t i = step.first; i < step.end; ++i) {
    const float count = step.cumulative_end - cumulative[i];
    // A weight cannot be under 1: what it has too much is taken from all other bins.
    const float weighed = count < step.min_count ? step.min_count : count;
    candidates[i] = best[i] + step.meta_bits + (weighed - count) * kLog2E +
                    count * (step.log_total - fast_log2(weighed) + widths[i]);
  }
  // Eight least costs side by side; the order of comparisons decides nothing but ties.
  constexpr std::size_t kLanes = 8;
  float least[kLanes];
  for (float& lane : least) lane = candidates[step.end - 1];
  std::size_t i = step.first;
  for (; i + kLanes <= step.end; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      least[lane] = candidates[i + lane] < least[lane] ? candidates[i + lane] : least[lane];
    }
  }
  for (; i < step.end; ++i) least[0] = candidates[i] < least[0] ? candidates[i] : least[0];
  for (std::size_t lane = 1; lane < kLanes; ++lane) {
    least[0] = least[lane] < least[0] ? least[lane] : least[0];
  }
  i = step.first;
  while (candidates[i] != least[0]) ++i;
  start = static_cast<std::uint32_t>(i);
  return least[0];
}

#define NUMPACT_KERNEL(L, S)                                                         \
  float CheapestMerge##S(const MergeStep<L>& step, float* widths, float* candidates, \
                         std::uint32_t& start) {                                     \
    return CheapestMerge(step, widths, candidates, start);                           \
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

#define NUMPACT_DOOR(L, S)                                                            \
  HWY_EXPORT(CheapestMerge##S);                                                       \
  template <>                                                                         \
  float cheapest_merge<L>(const MergeStep<L>& step, float* widths, float* candidates, \
                          std::uint32_t& start) {                                     \
    return NUMPACT_DISPATCH(CheapestMerge##S)(step, widths, candidates, start);       \
  }
NUMPACT_DOOR(std::uint8_t, 8)
NUMPACT_DOOR(std::uint16_t, 16)
NUMPACT_DOOR(std::uint32_t, 32)
NUMPACT_DOOR(std::uint64_t, 64)
#undef NUMPACT_DOOR

}  // namespace numpact
#endif
