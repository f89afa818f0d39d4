// SPDX-License-Identifier: Apache-2.0
// Prefix sums for decoding consecutive deltas, and differences for encoding them.
#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/delta/consecutive_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "pco/delta/consecutive.hpp"
// After foreach_target.
#include "simd/sums-inl.hpp"

#if NUMPACT_VECTOR_KERNEL
HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// In place: latents[i] = moment + sum of deltas [0, i). Returns moment + sum of all deltas.
template <class L>
L ScalarPrefixSum(L moment, L* latents, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const L delta = latents[i];
    latents[i] = moment;
    moment = static_cast<L>(moment + delta);
  }
  return moment;
}

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

template <class L>
L PrefixSum(L moment, L* HWY_RESTRICT latents, std::size_t n) {
  const hn::ScalableTag<L> d;
  const std::size_t lanes = hn::Lanes(d);
  auto carry = hn::Set(d, moment);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto deltas = hn::LoadU(d, latents + i);
    const auto sums = InclusiveSum(d, deltas);
    hn::StoreU(hn::Add(carry, hn::Sub(sums, deltas)), d, latents + i);
    carry = hn::Add(carry, BroadcastLast(d, sums));
  }
  return ScalarPrefixSum(hn::GetLane(carry), latents + i, n - i);
}

// Undoes two orders in one pass: moments[1], the higher order, then moments[0].
template <class L>
void PrefixSumTwice(L* HWY_RESTRICT moments, L* HWY_RESTRICT latents, std::size_t n) {
  const hn::ScalableTag<L> d;
  const std::size_t lanes = hn::Lanes(d);
  auto low = hn::Set(d, moments[0]);
  auto high = hn::Set(d, moments[1]);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto seconds = hn::LoadU(d, latents + i);
    const auto second_sums = InclusiveSum(d, seconds);
    const auto firsts = hn::Add(high, hn::Sub(second_sums, seconds));
    high = hn::Add(high, BroadcastLast(d, second_sums));
    const auto first_sums = InclusiveSum(d, firsts);
    hn::StoreU(hn::Add(low, hn::Sub(first_sums, firsts)), d, latents + i);
    low = hn::Add(low, BroadcastLast(d, first_sums));
  }
  moments[1] = ScalarPrefixSum(hn::GetLane(high), latents + i, n - i);
  moments[0] = ScalarPrefixSum(hn::GetLane(low), latents + i, n - i);
}

template <class L>
void Decode(std::span<L> moments, L* latents, std::size_t n) {
  std::size_t j = moments.size();
  for (; j >= 2; j -= 2) PrefixSumTwice(&moments[j - 2], latents, n);
  if (j == 1) moments[0] = PrefixSum(moments[0], latents, n);
}

#else

template <class L>
void Decode(std::span<L> moments, L* latents, std::size_t n) {
  for (std::size_t j = moments.size(); j-- > 0;) {
    moments[j] = ScalarPrefixSum(moments[j], latents, n);
  }
}

#endif

template <class L>
void Encode(std::span<L> moments, L* latents, std::size_t n) {
  for (L& moment : moments) {
    moment = n > 0 ? latents[0] : L{0};
    n = n > 0 ? n - 1 : 0;
    for (std::size_t i = 0; i < n; ++i) latents[i] = static_cast<L>(latents[i + 1] - latents[i]);
  }
  for (std::size_t i = 0; i < n; ++i) latents[i] = static_cast<L>(latents[i] + kMid<L>);
}

#define NUMPACT_KERNELS(L, S)                                                                      \
  void Decode##S(std::span<L> moments, L* latents, std::size_t n) { Decode(moments, latents, n); } \
  void Encode##S(std::span<L> moments, L* latents, std::size_t n) { Encode(moments, latents, n); }
NUMPACT_KERNELS(std::uint8_t, 8)
NUMPACT_KERNELS(std::uint16_t, 16)
NUMPACT_KERNELS(std::uint32_t, 32)
NUMPACT_KERNELS(std::uint64_t, 64)
#undef NUMPACT_KERNELS

}  // namespace HWY_NAMESPACE
}  // namespace numpact::internal
HWY_AFTER_NAMESPACE();
#endif  // NUMPACT_VECTOR_KERNEL

#if HWY_ONCE
#include "simd/dispatch.hpp"

namespace numpact::internal {

#define NUMPACT_ENTRIES(L, S)                                                    \
  NUMPACT_EXPORT_VECTOR(Decode##S);                                              \
  NUMPACT_EXPORT_VECTOR(Encode##S);                                              \
  template <>                                                                    \
  void decode_consecutive<L>(std::span<L> moments, L * latents, std::size_t n) { \
    NUMPACT_DISPATCH(Decode##S)(moments, latents, n);                            \
  }                                                                              \
  template <>                                                                    \
  void encode_consecutive<L>(std::span<L> moments, L * latents, std::size_t n) { \
    NUMPACT_DISPATCH(Encode##S)(moments, latents, n);                            \
  }
NUMPACT_ENTRIES(std::uint8_t, 8)
NUMPACT_ENTRIES(std::uint16_t, 16)
NUMPACT_ENTRIES(std::uint32_t, 32)
NUMPACT_ENTRIES(std::uint64_t, 64)
#undef NUMPACT_ENTRIES

}  // namespace numpact::internal
#endif
