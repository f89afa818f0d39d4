// SPDX-License-Identifier: Apache-2.0
// Plain loops, which compilers vectorise for each target.
#include "pco/choose/cut_kernel.hpp"

#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/choose/cut_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "pco/stats/log2.hpp"

HWY_BEFORE_NAMESPACE();
namespace numpact {
namespace HWY_NAMESPACE {

float TreeCost(const TreeShape& shape, const std::uint32_t* HWY_RESTRICT counts,
               const float* HWY_RESTRICT widths, float meta_bits, std::uint32_t* HWY_RESTRICT sums,
               float* HWY_RESTRICT costs) {
  const std::size_t leaves = shape.leaves();
  for (std::size_t i = 0; i < leaves; ++i) sums[i] = counts[i];
  std::uint32_t* level = sums;
  for (std::size_t half = leaves / 2; half > 0; half /= 2) {
    std::uint32_t* HWY_RESTRICT above = level + 2 * half;
    for (std::size_t i = 0; i < half; ++i) above[i] = level[i] + level[i + half];
    level = above;
  }
  const std::size_t nodes = shape.nodes();
  const float total = static_cast<float>(sums[nodes - 1]);
  const float log_total = fast_log2(total < 1 ? 1 : total);
  for (std::size_t i = 0; i < nodes; ++i) {
    // Counts fit in 31 bits; signed ones convert faster.
    const float count = static_cast<float>(static_cast<std::int32_t>(sums[i]));
    const float log = fast_log2(count < 1 ? 1 : count);
    const float bits = meta_bits + count * (log_total - log + widths[i]);
    costs[i] = sums[i] == 0 ? 0 : bits;
  }
  float* below = costs;
  for (std::size_t half = leaves / 2; half > 0; half /= 2) {
    float* HWY_RESTRICT above = below + 2 * half;
    for (std::size_t i = 0; i < half; ++i) {
      const float children = below[i] + below[i + half];
      above[i] = children < above[i] ? children : above[i];
    }
    below = above;
  }
  return costs[nodes - 1];
}

}  // namespace HWY_NAMESPACE
}  // namespace numpact
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/dispatch.hpp"

namespace numpact {

HWY_EXPORT(TreeCost);

float tree_cost(const TreeShape& shape, const std::uint32_t* counts, const float* widths,
                float meta_bits, std::uint32_t* sums, float* costs) {
  return NUMPACT_DISPATCH(TreeCost)(shape, counts, widths, meta_bits, sums, costs);
}

}  // namespace numpact
#endif
