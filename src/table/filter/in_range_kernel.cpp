// SPDX-License-Identifier: Apache-2.0
// Compilers vectorize the loops for each target.
#include "table/filter/in_range.hpp"

#include <cstddef>
#include <cstring>

#include "number/latent.hpp"

#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "table/filter/in_range_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#if NUMPACT_VECTOR_KERNEL
HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

// Integers of both kinds: the latent of a signed one is its bits and half of the range more.
template <bool kFloat, class L>
void KeepOfKind(const std::byte* numbers, std::size_t n, L first, L distance, std::uint8_t* kept) {
  constexpr NumberKind kKind = kFloat ? NumberKind::kFloat : NumberKind::kUnsigned;
  for (std::size_t i = 0; i < n; ++i) {
    L bits;
    std::memcpy(&bits, numbers + i * sizeof(L), sizeof bits);
    const L above = static_cast<L>(to_ordered(bits, kKind) - first);
    kept[i] &= static_cast<std::uint8_t>(above <= distance ? 1 : 0);
  }
}

template <class L>
void KeepInRange(const void* numbers, std::size_t n, NumberKind kind, L first, L distance,
                 std::uint8_t* kept) {
  const auto* const bytes = static_cast<const std::byte*>(numbers);
  if (kind == NumberKind::kFloat) return KeepOfKind<true>(bytes, n, first, distance, kept);
  const L below = kind == NumberKind::kSigned ? kMid<L> : L{0};
  KeepOfKind<false>(bytes, n, static_cast<L>(first - below), distance, kept);
}

#define NUMPACT_KERNEL(L, S)                                                                    \
  void KeepInRange##S(const void* numbers, std::size_t n, NumberKind kind, L first, L distance, \
                      std::uint8_t* kept) {                                                     \
    KeepInRange(numbers, n, kind, first, distance, kept);                                       \
  }
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

#define NUMPACT_ENTRY(L, S)                                                        \
  NUMPACT_EXPORT_VECTOR(KeepInRange##S);                                           \
  template <>                                                                      \
  void keep_in_range<L>(const void* numbers, NumberKind kind, L first, L distance, \
                        std::span<std::uint8_t> kept) {                            \
    NUMPACT_DISPATCH(KeepInRange##S)                                               \
    (numbers, kept.size(), kind, first, distance, kept.data());                    \
  }
NUMPACT_ENTRY(std::uint8_t, 8)
NUMPACT_ENTRY(std::uint16_t, 16)
NUMPACT_ENTRY(std::uint32_t, 32)
NUMPACT_ENTRY(std::uint64_t, 64)
#undef NUMPACT_ENTRY

}  // namespace numpact::internal
#endif
