// SPDX-License-Identifier: Apache-2.0
#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/delta/consecutive_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "pco/delta/consecutive.hpp"

HWY_BEFORE_NAMESPACE();
namespace numpact {
namespace HWY_NAMESPACE {

// out[i] = moment + sum of in[0..i), and the moment becomes the sum of all. `centre` is taken from
// every delta.
template <class L>
L PrefixSum(L moment, L centre, L* latents, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const L delta = static_cast<L>(latents[i] + centre);
    latents[i] = moment;
    moment = static_cast<L>(moment + delta);
  }
  return moment;
}

template <class L>
void Decode(std::span<L> moments, L* latents, std::size_t n) {
  L centre = kMid<L>;
  for (std::size_t j = moments.size(); j-- > 0;) {
    moments[j] = PrefixSum(moments[j], centre, latents, n);
    centre = 0;
  }
}

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
}  // namespace numpact
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace numpact {

#define NUMPACT_DOORS(L, S)                                                      \
  HWY_EXPORT(Decode##S);                                                         \
  HWY_EXPORT(Encode##S);                                                         \
  template <>                                                                    \
  void decode_consecutive<L>(std::span<L> moments, L * latents, std::size_t n) { \
    HWY_DYNAMIC_DISPATCH(Decode##S)(moments, latents, n);                        \
  }                                                                              \
  template <>                                                                    \
  void encode_consecutive<L>(std::span<L> moments, L * latents, std::size_t n) { \
    HWY_DYNAMIC_DISPATCH(Encode##S)(moments, latents, n);                        \
  }
NUMPACT_DOORS(std::uint8_t, 8)
NUMPACT_DOORS(std::uint16_t, 16)
NUMPACT_DOORS(std::uint32_t, 32)
NUMPACT_DOORS(std::uint64_t, 64)
#undef NUMPACT_DOORS

}  // namespace numpact
#endif
