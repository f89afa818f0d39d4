// SPDX-License-Identifier: Apache-2.0
// Loops that subtract the base and truncate, one for each pair of widths.
#include "pco/stats/narrow.hpp"

#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/stats/narrow_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstring>

#if NUMPACT_VECTOR_KERNEL
HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class To, class D>
HWY_INLINE hn::Vec<hn::Rebind<To, D>> NarrowLanes(D, hn::Vec<D> wide) {
  const hn::Rebind<To, D> d_to;
  if constexpr (sizeof(hn::TFromD<D>) == 4 && sizeof(To) == 1) {
    // Saturation is no issue since all values fit. TruncateTo of Highway 1.0.3 puts lanes in the
    // wrong order here for AVX-512.
    return hn::DemoteTo(d_to, hn::BitCast(hn::RebindToSigned<D>(), wide));
  } else {
    return hn::TruncateTo(d_to, wide);
  }
}

// `to` may begin at `latents`: output i ends before input i + 1 begins, and each vector is loaded
// before its memory is overwritten.
template <class From, class To>
void Narrow(const From* latents, std::size_t n, From base, To* to) {
  const hn::ScalableTag<From> d;
  const hn::Rebind<To, decltype(d)> d_to;
  const auto bases = hn::Set(d, base);
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    hn::StoreU(NarrowLanes<To>(d, hn::Sub(hn::LoadU(d, latents + i), bases)), d_to, to + i);
  }
  for (; i < n; ++i) {
    From latent;
    std::memcpy(&latent, latents + i, sizeof latent);
    const To narrow = static_cast<To>(latent - base);
    std::memcpy(to + i, &narrow, sizeof narrow);
  }
}

#define NUMPACT_KERNEL(F, T)                                                                \
  void Narrow##F##To##T(const std::uint##F##_t* latents, std::size_t n, std::uint64_t base, \
                        std::uint##T##_t* to) {                                             \
    Narrow(latents, n, static_cast<std::uint##F##_t>(base), to);                            \
  }
NUMPACT_KERNEL(64, 32)
NUMPACT_KERNEL(64, 16)
NUMPACT_KERNEL(64, 8)
NUMPACT_KERNEL(32, 16)
NUMPACT_KERNEL(32, 8)
NUMPACT_KERNEL(16, 8)
#undef NUMPACT_KERNEL

}  // namespace HWY_NAMESPACE
}  // namespace numpact::internal
HWY_AFTER_NAMESPACE();
#endif  // NUMPACT_VECTOR_KERNEL

#if HWY_ONCE
#include "pco/stats/histogram.hpp"
#include "simd/dispatch.hpp"

namespace numpact::internal {

namespace {

#define NUMPACT_ENTRY(F, T)                                                       \
  NUMPACT_EXPORT_VECTOR(Narrow##F##To##T);                                        \
  void narrow_to(std::span<const std::uint##F##_t> latents, std::uint64_t base,   \
                 std::uint##T##_t* to) {                                          \
    NUMPACT_DISPATCH(Narrow##F##To##T)(latents.data(), latents.size(), base, to); \
  }
NUMPACT_ENTRY(64, 32)
NUMPACT_ENTRY(64, 16)
NUMPACT_ENTRY(64, 8)
NUMPACT_ENTRY(32, 16)
NUMPACT_ENTRY(32, 8)
NUMPACT_ENTRY(16, 8)
#undef NUMPACT_ENTRY

template <Latent To, Latent From>
NarrowLatents narrow_in_place(std::span<From> latents, From base) {
  To* const to = static_cast<To*>(static_cast<void*>(latents.data()));
  narrow_to(std::span<const From>(latents), base, to);
  return {LatentArray(std::span<To>(to, latents.size())), base};
}

}  // namespace

NarrowLatents narrow(const LatentArray& latents) {
  if (latents.n == 0) return {latents, 0};
  return latents.visit([&](auto span) -> NarrowLatents {
    using L = typename decltype(span)::value_type;
    if constexpr (sizeof(L) > 1) {
      const Range<L> range = range_of(std::span<const L>(span));
      const L width = static_cast<L>(range.upper - range.lower);
      if (width >> 8 == 0) return narrow_in_place<std::uint8_t>(span, range.lower);
      if constexpr (sizeof(L) > 2) {
        if (width >> 16 == 0) return narrow_in_place<std::uint16_t>(span, range.lower);
      }
      if constexpr (sizeof(L) > 4) {
        if (width >> 32 == 0) return narrow_in_place<std::uint32_t>(span, range.lower);
      }
    }
    return {latents, 0};
  });
}

std::span<const std::uint32_t> narrowed_copy(std::span<const std::uint64_t> latents,
                                             std::uint64_t base, Arena& arena) {
  const std::span<std::uint32_t> copy = arena.make<std::uint32_t>(latents.size());
  narrow_to(latents, base, copy.data());
  return copy;
}

}  // namespace numpact::internal
#endif
