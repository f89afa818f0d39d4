// SPDX-License-Identifier: Apache-2.0
// The bijection of ordered.hpp on whole arrays. Compilers vectorize the loops for each target.
#include "number/ordered.hpp"

#include <cstddef>
#include <cstring>

#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "number/ordered_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#if NUMPACT_VECTOR_KERNEL
HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

template <class L>
L LoadAt(const std::byte* in, std::size_t i) {
  L word;
  std::memcpy(&word, in + i * sizeof(L), sizeof word);
  return word;
}

template <class L>
void ToOrdered(const void* numbers, std::size_t n, NumberKind kind, L* out) {
  const auto* const in = static_cast<const std::byte*>(numbers);
  if (kind == NumberKind::kFloat) {
    for (std::size_t i = 0; i < n; ++i) out[i] = to_ordered(LoadAt<L>(in, i), NumberKind::kFloat);
  } else {
    const L flip = kind == NumberKind::kSigned ? kMid<L> : L{0};
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<L>(LoadAt<L>(in, i) ^ flip);
  }
}

template <class L>
void FromOrdered(const L* in, std::size_t n, NumberKind kind, L* out) {
  if (kind == NumberKind::kFloat) {
    for (std::size_t i = 0; i < n; ++i) out[i] = from_ordered(in[i], NumberKind::kFloat);
  } else if (kind == NumberKind::kSigned) {
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<L>(in[i] ^ kMid<L>);
  } else if (in != out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = in[i];
  }
}

#define NUMPACT_KERNELS(L, S)                                                 \
  void ToOrdered##S(const void* in, std::size_t n, NumberKind kind, L* out) { \
    ToOrdered(in, n, kind, out);                                              \
  }                                                                           \
  void FromOrdered##S(const L* in, std::size_t n, NumberKind kind, L* out) {  \
    FromOrdered(in, n, kind, out);                                            \
  }
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

#define NUMPACT_ENTRIES(L, S)                                                  \
  NUMPACT_EXPORT_VECTOR(ToOrdered##S);                                         \
  NUMPACT_EXPORT_VECTOR(FromOrdered##S);                                       \
  template <>                                                                  \
  void to_ordered<L>(const void* in, std::size_t n, NumberKind kind, L* out) { \
    NUMPACT_DISPATCH(ToOrdered##S)(in, n, kind, out);                          \
  }                                                                            \
  template <>                                                                  \
  void from_ordered<L>(const L* in, std::size_t n, NumberKind kind, L* out) {  \
    NUMPACT_DISPATCH(FromOrdered##S)(in, n, kind, out);                        \
  }
NUMPACT_ENTRIES(std::uint8_t, 8)
NUMPACT_ENTRIES(std::uint16_t, 16)
NUMPACT_ENTRIES(std::uint32_t, 32)
NUMPACT_ENTRIES(std::uint64_t, 64)
#undef NUMPACT_ENTRIES

}  // namespace numpact::internal
#endif
