// SPDX-License-Identifier: Apache-2.0
#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/stats/range_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "pco/stats/histogram.hpp"

HWY_BEFORE_NAMESPACE();
namespace numpact {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class L>
Range<L> RangeOf(const L* HWY_RESTRICT latents, std::size_t n) {
  L lower = latents[0];
  L upper = latents[0];
  std::size_t i = 0;
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  const hn::ScalableTag<L> d;
  const std::size_t lanes = hn::Lanes(d);
  if (n >= 2 * lanes) {
    auto least = hn::LoadU(d, latents);
    auto most = least;
    auto least_odd = least;
    auto most_odd = least;
    for (; i + 2 * lanes <= n; i += 2 * lanes) {
      const auto even = hn::LoadU(d, latents + i);
      const auto odd = hn::LoadU(d, latents + i + lanes);
      least = hn::Min(least, even);
      most = hn::Max(most, even);
      least_odd = hn::Min(least_odd, odd);
      most_odd = hn::Max(most_odd, odd);
    }
    HWY_ALIGN L lanes_lower[HWY_MAX_BYTES / sizeof(L)];
    HWY_ALIGN L lanes_upper[HWY_MAX_BYTES / sizeof(L)];
    hn::Store(hn::Min(least, least_odd), d, lanes_lower);
    hn::Store(hn::Max(most, most_odd), d, lanes_upper);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      lower = std::min(lower, lanes_lower[lane]);
      upper = std::max(upper, lanes_upper[lane]);
    }
  }
#endif
  for (; i < n; ++i) {
    lower = std::min(lower, latents[i]);
    upper = std::max(upper, latents[i]);
  }
  return {lower, upper};
}

#define NUMPACT_KERNEL(L, S) \
  Range<L> RangeOf##S(const L* latents, std::size_t n) { return RangeOf(latents, n); }
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

#define NUMPACT_DOOR(L, S)                                               \
  NUMPACT_EXPORT(RangeOf##S);                                            \
  template <>                                                            \
  Range<L> range_of<L>(std::span<const L> latents) {                     \
    return NUMPACT_DISPATCH(RangeOf##S)(latents.data(), latents.size()); \
  }
NUMPACT_DOOR(std::uint8_t, 8)
NUMPACT_DOOR(std::uint16_t, 16)
NUMPACT_DOOR(std::uint32_t, 32)
NUMPACT_DOOR(std::uint64_t, 64)
#undef NUMPACT_DOOR

}  // namespace numpact
#endif
