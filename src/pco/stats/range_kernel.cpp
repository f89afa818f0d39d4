// SPDX-License-Identifier: Apache-2.0
// The smallest and the largest latent, with two accumulators each to hide the latency.
#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/stats/range_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "pco/stats/histogram.hpp"

#if NUMPACT_VECTOR_KERNEL
HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class L>
Range<L> RangeOf(const L* HWY_RESTRICT latents, std::size_t n) {
  L lower = latents[0];
  L upper = latents[0];
  std::size_t i = 0;
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  // Before AVX-512 only signed numbers of 64 bits are compared in one step.
  constexpr bool kSigned = sizeof(L) == 8 && HWY_TARGET > HWY_AVX3;
  using T = std::conditional_t<kSigned, std::int64_t, L>;
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto load = [=](const L* from) HWY_ATTR {
    const auto values = hn::LoadU(hn::ScalableTag<L>(), from);
    if constexpr (kSigned) {
      return hn::BitCast(d, hn::Xor(values, hn::Set(hn::ScalableTag<L>(), kMid<L>)));
    } else {
      return values;
    }
  };
  if (n >= 2 * lanes) {
    auto min = load(latents);
    auto max = min;
    auto min_odd = min;
    auto max_odd = min;
    for (; i + 2 * lanes <= n; i += 2 * lanes) {
      const auto even = load(latents + i);
      const auto odd = load(latents + i + lanes);
      min = hn::Min(min, even);
      max = hn::Max(max, even);
      min_odd = hn::Min(min_odd, odd);
      max_odd = hn::Max(max_odd, odd);
    }
    HWY_ALIGN T lanes_lower[HWY_MAX_BYTES / sizeof(L)];
    HWY_ALIGN T lanes_upper[HWY_MAX_BYTES / sizeof(L)];
    hn::Store(hn::Min(min, min_odd), d, lanes_lower);
    hn::Store(hn::Max(max, max_odd), d, lanes_upper);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const auto value_of = [](T value) {
        return static_cast<L>(static_cast<L>(value) ^ (kSigned ? kMid<L> : L{0}));
      };
      lower = std::min(lower, value_of(lanes_lower[lane]));
      upper = std::max(upper, value_of(lanes_upper[lane]));
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
}  // namespace numpact::internal
HWY_AFTER_NAMESPACE();
#endif  // NUMPACT_VECTOR_KERNEL

#if HWY_ONCE
#include "simd/dispatch.hpp"

namespace numpact::internal {

#define NUMPACT_ENTRY(L, S)                                              \
  NUMPACT_EXPORT_VECTOR(RangeOf##S);                                     \
  template <>                                                            \
  Range<L> range_of<L>(std::span<const L> latents) {                     \
    return NUMPACT_DISPATCH(RangeOf##S)(latents.data(), latents.size()); \
  }
NUMPACT_ENTRY(std::uint8_t, 8)
NUMPACT_ENTRY(std::uint16_t, 16)
NUMPACT_ENTRY(std::uint32_t, 32)
NUMPACT_ENTRY(std::uint64_t, 64)
#undef NUMPACT_ENTRY

}  // namespace numpact::internal
#endif
