// SPDX-License-Identifier: Apache-2.0
// Costs of trees of bins. Every target does the same operations in the same order, so that all make
// the same plans.
#include "pco/encode/segment/histogram_kernel.hpp"

#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/encode/segment/histogram_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "pco/stats/log2-inl.hpp"
#include "pco/stats/log2.hpp"

#if NUMPACT_VECTOR_KERNEL
HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

float TreeCost(const TreeShape& shape, const std::uint32_t* HWY_RESTRICT counts,
               const float* HWY_RESTRICT widths, float meta_bits, std::uint32_t* HWY_RESTRICT sums,
               float* HWY_RESTRICT costs) {
  const hn::CappedTag<float, TreeShape::kPadding> df;
  const hn::RebindToSigned<decltype(df)> di;
  const hn::RebindToUnsigned<decltype(df)> du;
  const std::size_t lanes = hn::Lanes(df);
  const std::size_t leaves = shape.leaves();
  // Upwards: the count of a node is the sum of its children's.
  std::copy_n(counts, leaves, sums);
  std::uint32_t* level = sums;
  for (std::size_t half = leaves / 2; half > 0; half /= 2) {
    std::uint32_t* const above = level + 2 * half;
    std::size_t i = 0;
    for (; i + lanes <= half; i += lanes) {
      const auto sum = hn::Add(hn::LoadU(du, level + i), hn::LoadU(du, level + half + i));
      hn::StoreU(sum, du, above + i);
    }
    for (; i < half; ++i) above[i] = level[i] + level[half + i];
    level = above;
  }
  // The cost of each node as one bin; 0 without latents.
  const std::size_t nodes = shape.nodes();
  const float total = static_cast<float>(sums[nodes - 1]);
  const auto log_total = hn::Set(df, fast_log2(total < 1 ? 1 : total));
  const auto meta = hn::Set(df, meta_bits);
  const auto one = hn::Set(df, 1.0f);
  for (std::size_t i = 0; i < nodes; i += lanes) {
    // Counts fit in 31 bits, and signed integers convert faster.
    const auto count = hn::ConvertTo(df, hn::BitCast(di, hn::LoadU(du, sums + i)));
    const auto log = Log2(df, hn::Max(count, one));
    const auto each = hn::Add(hn::Sub(log_total, log), hn::LoadU(df, widths + i));
    const auto bits = hn::Add(meta, hn::Mul(count, each));
    hn::StoreU(hn::IfThenElseZero(hn::Gt(count, hn::Zero(df)), bits), df, costs + i);
  }
  // Upwards again: the cheaper of a node's own bin and its children's.
  float* below = costs;
  for (std::size_t half = leaves / 2; half > 0; half /= 2) {
    float* const above = below + 2 * half;
    std::size_t i = 0;
    for (; i + lanes <= half; i += lanes) {
      const auto children = hn::Add(hn::LoadU(df, below + i), hn::LoadU(df, below + half + i));
      hn::StoreU(hn::Min(children, hn::LoadU(df, above + i)), df, above + i);
    }
    for (; i < half; ++i) {
      const float children = below[i] + below[half + i];
      above[i] = children < above[i] ? children : above[i];
    }
    below = above;
  }
  return costs[nodes - 1];
}

}  // namespace HWY_NAMESPACE
}  // namespace numpact::internal
HWY_AFTER_NAMESPACE();
#endif  // NUMPACT_VECTOR_KERNEL

#if HWY_ONCE
#include "simd/dispatch.hpp"

namespace numpact::internal {

NUMPACT_EXPORT_VECTOR(TreeCost);

float tree_cost(const TreeShape& shape, const std::uint32_t* counts, const float* widths,
                float meta_bits, std::uint32_t* sums, float* costs) {
  return NUMPACT_DISPATCH(TreeCost)(shape, counts, widths, meta_bits, sums, costs);
}

}  // namespace numpact::internal
#endif
