// SPDX-License-Identifier: Apache-2.0
#include "pco/encode/lookback/hits_kernel.hpp"

#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/encode/lookback/hits_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#if NUMPACT_VECTOR_KERNEL
HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void AddHits(const Anchors& before, std::uint16_t* HWY_RESTRICT hits, std::size_t n) {
  const hn::ScalableTag<std::uint16_t> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto max = hn::Set(d, 2);
  const auto upper = [&](std::size_t k) { return static_cast<std::uint16_t>(before[k][n] + 1); };
  const auto upper0 = hn::Set(d, upper(0));
  const auto upper1 = hn::Set(d, upper(1));
  const auto upper2 = hn::Set(d, upper(2));
  const auto upper3 = hn::Set(d, upper(3));
  const auto add = [&](auto sum, auto difference) HWY_ATTR {
    // A mask's lanes are 0 or -1.
    const auto is_hit = hn::Eq(hn::Min(difference, max), difference);
    return hn::Sub(sum, hn::VecFromMask(d, is_hit));
  };
  std::size_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    auto sum = hn::LoadU(d, hits + j);
    sum = add(sum, hn::Sub(upper0, hn::LoadU(d, before[0] + j)));
    sum = add(sum, hn::Sub(upper1, hn::LoadU(d, before[1] + j)));
    sum = add(sum, hn::Sub(upper2, hn::LoadU(d, before[2] + j)));
    sum = add(sum, hn::Sub(upper3, hn::LoadU(d, before[3] + j)));
    hn::StoreU(sum, d, hits + j);
  }
  for (; j < n; ++j) {
    for (std::size_t k = 0; k < kAnchorGroupN; ++k) {
      const auto difference = static_cast<std::uint16_t>(upper(k) - before[k][j]);
      hits[j] = static_cast<std::uint16_t>(hits[j] + (difference <= 2 ? 1 : 0));
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace numpact::internal
HWY_AFTER_NAMESPACE();
#endif  // NUMPACT_VECTOR_KERNEL

#if HWY_ONCE
#include "simd/dispatch.hpp"

namespace numpact::internal {

NUMPACT_EXPORT_VECTOR(AddHits);

void add_hits(const Anchors& before, std::uint16_t* hits, std::size_t n) {
  NUMPACT_DISPATCH(AddHits)(before, hits, n);
}

}  // namespace numpact::internal
#endif
