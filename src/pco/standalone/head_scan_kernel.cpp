// SPDX-License-Identifier: Apache-2.0
// Compares the first and the last byte of a head at all positions of a vector at once.
#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/standalone/head_scan_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "pco/standalone/head_scan.hpp"

#if NUMPACT_VECTOR_KERNEL
HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using standalone::HeadPattern;

std::size_t SkipNonHeads(const HeadPattern& pattern, const std::byte* at, std::size_t n) {
  const hn::ScalableTag<std::uint8_t> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(at);
  const auto differs = [&](std::size_t i, std::size_t j) HWY_ATTR {
    const auto found = hn::LoadU(d, bytes + i + HeadPattern::kAt[j]);
    const auto masked = hn::And(found, hn::Set(d, pattern.masks[j]));
    return hn::Xor(masked, hn::Set(d, pattern.bytes[j]));
  };
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto fits = hn::Eq(hn::Or(differs(i, 0), differs(i, 1)), hn::Zero(d));
    const auto first = hn::FindFirstTrue(d, fits);
    if (first >= 0) return i + static_cast<std::size_t>(first);
  }
  return i;
}

}  // namespace HWY_NAMESPACE
}  // namespace numpact::internal
HWY_AFTER_NAMESPACE();
#endif  // NUMPACT_VECTOR_KERNEL

#if HWY_ONCE
#include "simd/dispatch.hpp"

namespace numpact::internal {
NUMPACT_EXPORT_VECTOR(SkipNonHeads);

namespace standalone {
std::size_t skip_non_heads(const HeadPattern& pattern, const std::byte* at, std::size_t n) {
  return NUMPACT_DISPATCH(SkipNonHeads)(pattern, at, n);
}
}  // namespace standalone
}  // namespace numpact::internal
#endif
