// SPDX-License-Identifier: Apache-2.0
// Non-temporal stores, for outputs larger than the caches. For kernels only, included once for each
// target.
#if defined(NUMPACT_CVC_COMPRESSION_STREAM_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef NUMPACT_CVC_COMPRESSION_STREAM_INL_HPP
#undef NUMPACT_CVC_COMPRESSION_STREAM_INL_HPP
#else
#define NUMPACT_CVC_COMPRESSION_STREAM_INL_HPP
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace numpact::cvc::internal {
namespace HWY_NAMESPACE {

// Number of values before the first one with the alignment that PutVector<true> needs, at most n.
inline std::size_t ValuesToAligned(const float* out, std::size_t n) {
  const hwy::HWY_NAMESPACE::ScalableTag<float> df;
  const std::size_t bytes = hwy::HWY_NAMESPACE::Lanes(df) * sizeof(float);
  const std::size_t misaligned_bytes = reinterpret_cast<std::uintptr_t>(out) % bytes;
  return misaligned_bytes == 0 ? 0 : std::min(n, (bytes - misaligned_bytes) / sizeof(float));
}

// Stores a vector: non-temporally to an aligned address, or to any address.
template <bool kStreams, class D, class V>
HWY_INLINE void PutVector(D d, V values, float* out) {
  if constexpr (kStreams) {
    hwy::HWY_NAMESPACE::Stream(values, d, out);
  } else {
    hwy::HWY_NAMESPACE::StoreU(values, d, out);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace numpact::cvc::internal
HWY_AFTER_NAMESPACE();

#endif
