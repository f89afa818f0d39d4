// SPDX-License-Identifier: Apache-2.0
// Quantization loops with one range, compiled for every target.
#include "base/internal.hpp"
#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cvc/compression/steps_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cvc/compression/steps.hpp"
#include "cvc/compression/stream-inl.hpp"
#include "simd/has_vectors-inl.hpp"

#if NUMPACT_VECTOR_KERNEL
HWY_BEFORE_NAMESPACE();
namespace numpact::cvc::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using numpact::internal::HWY_NAMESPACE::kHasVectors;

void CodesToValuesScalar(const std::uint8_t* codes, std::size_t n, float min, float scale,
                         float* HWY_RESTRICT values) {
  for (std::size_t i = 0; i < n; ++i) values[i] = value_of_code(codes[i], min, scale);
}

template <bool kStreams>
std::size_t VectorsToValues(const std::uint8_t* codes, std::size_t n, float min, float scale,
                            float* HWY_RESTRICT values) {
  const hn::ScalableTag<float> df;
  const hn::RebindToSigned<decltype(df)> di;
  const hn::Rebind<std::uint8_t, decltype(df)> d8;
  const std::size_t lanes = hn::Lanes(df);
  const auto all_min = hn::Set(df, min);
  const auto all_scale = hn::Set(df, scale);
  std::size_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    const auto a = hn::ConvertTo(df, hn::PromoteTo(di, hn::LoadU(d8, codes + i)));
    const auto b = hn::ConvertTo(df, hn::PromoteTo(di, hn::LoadU(d8, codes + i + lanes)));
    PutVector<kStreams>(df, hn::Add(hn::Mul(a, all_scale), all_min), values + i);
    PutVector<kStreams>(df, hn::Add(hn::Mul(b, all_scale), all_min), values + i + lanes);
  }
  return i;
}

void CodesToValues(const std::byte* codes, std::size_t n, float min, float scale,
                   float* HWY_RESTRICT values, bool streams) {
  const auto* const from = reinterpret_cast<const std::uint8_t*>(codes);
  std::size_t i = 0;
  if constexpr (kHasVectors) {
    if (streams) {
      i = ValuesToAligned(values, n);
      CodesToValuesScalar(from, i, min, scale, values);
      i += VectorsToValues<true>(from + i, n - i, min, scale, values + i);
      hwy::FlushStream();
    } else {
      i = VectorsToValues<false>(from, n, min, scale, values);
    }
  }
  CodesToValuesScalar(from + i, n - i, min, scale, values + i);
}

// Distance of prefetches, in values. The hardware prefetcher alone is too late.
constexpr std::size_t kStepPrefetchDistance = 512;

void ValuesToCodes(const float* HWY_RESTRICT values, std::size_t n, float min, float scale,
                   std::uint8_t* HWY_RESTRICT codes) {
  std::size_t i = 0;
  if constexpr (kHasVectors) {
    const hn::ScalableTag<float> df;
    const hn::RebindToSigned<decltype(df)> di;
    const hn::Rebind<std::uint8_t, decltype(df)> d8;
    const std::size_t lanes = hn::Lanes(df);
    const auto all_min = hn::Set(df, min);
    const auto all_scale = hn::Set(df, scale);
    const auto max_code = hn::Set(df, 255.0f);
    const auto divided = [&](std::size_t at) HWY_ATTR {
      const auto steps = hn::Div(hn::Sub(hn::LoadU(df, values + at), all_min), all_scale);
      hn::StoreU(hn::DemoteTo(d8, hn::NearestInt(hn::Min(steps, max_code))), d8, codes + at);
    };
    // Multiplying by the reciprocal instead of dividing changes the quotient by less than 1e-4,
    // which can change the code only near a half step. A vector with a value whose fraction is
    // within 0.001 of a half is divided exactly:
    //   steps = 7.30  -> |7.30 - 7| = 0.30 < 0.499   the product is used
    //   steps = 7.4995 -> 0.4995 >= 0.499             `divided` is used
    const float reciprocal = 1.0f / scale;
    if (!(reciprocal < HUGE_VALF)) {
      for (; i + lanes <= n; i += lanes) divided(i);
    }
    const auto all_reciprocal = hn::Set(df, reciprocal);
    const auto limit = hn::Set(df, 0.499f);
    const auto put = [&](std::size_t at) HWY_ATTR {
      const auto difference = hn::Sub(hn::LoadU(df, values + at), all_min);
      const auto steps = hn::Min(hn::Mul(difference, all_reciprocal), max_code);
      const auto whole = hn::Round(steps);
      if (HWY_UNLIKELY(!hn::AllTrue(df, hn::Lt(hn::Abs(hn::Sub(steps, whole)), limit)))) {
        divided(at);
        return;
      }
      hn::StoreU(hn::DemoteTo(d8, hn::ConvertTo(di, whole)), d8, codes + at);
    };
    for (; i + 4 * lanes <= n; i += 4 * lanes) {
      // Without prefetches a fifth of the time is spent waiting for memory.
      hwy::Prefetch(values + i + kStepPrefetchDistance);
      hwy::Prefetch(values + i + kStepPrefetchDistance + 2 * lanes);
      put(i);
      put(i + lanes);
      put(i + 2 * lanes);
      put(i + 3 * lanes);
    }
    for (; i + lanes <= n; i += lanes) put(i);
  }
  for (; i < n; ++i) codes[i] = code_of_value(values[i], min, scale);
}

ValueRange RangeOf(const float* values, std::size_t n) {
  ValueRange range{values[0], values[0], false};
  std::size_t i = 0;
  if constexpr (kHasVectors) {
    const hn::ScalableTag<float> df;
    const std::size_t lanes = hn::Lanes(df);
    if (n >= 2 * lanes) {
      auto low_a = hn::LoadU(df, values);
      auto high_a = low_a;
      auto low_b = low_a;
      auto high_b = low_a;
      auto nans = hn::IsNaN(low_a);
      for (; i + 2 * lanes <= n; i += 2 * lanes) {
        hwy::Prefetch(values + i + kStepPrefetchDistance);
        hwy::Prefetch(values + i + kStepPrefetchDistance + lanes);
        const auto a = hn::LoadU(df, values + i);
        const auto b = hn::LoadU(df, values + i + lanes);
        low_a = hn::Min(low_a, a);
        high_a = hn::Max(high_a, a);
        low_b = hn::Min(low_b, b);
        high_b = hn::Max(high_b, b);
        nans = hn::Or(nans, hn::Or(hn::IsNaN(a), hn::IsNaN(b)));
      }
      range.low = hn::GetLane(hn::MinOfLanes(df, hn::Min(low_a, low_b)));
      range.high = hn::GetLane(hn::MaxOfLanes(df, hn::Max(high_a, high_b)));
      range.has_nan = !hn::AllFalse(df, nans);
    }
  }
  for (; i < n; ++i) {
    range.low = values[i] < range.low ? values[i] : range.low;
    range.high = values[i] > range.high ? values[i] : range.high;
    range.has_nan = range.has_nan || std::isnan(values[i]);
  }
  return range;
}

}  // namespace HWY_NAMESPACE
}  // namespace numpact::cvc::internal
HWY_AFTER_NAMESPACE();
#endif  // NUMPACT_VECTOR_KERNEL

#if HWY_ONCE

#include "simd/dispatch.hpp"

namespace numpact::cvc::internal {

NUMPACT_EXPORT_VECTOR(CodesToValues);
NUMPACT_EXPORT_VECTOR(ValuesToCodes);
NUMPACT_EXPORT_VECTOR(RangeOf);

void codes_to_values(const std::byte* codes, std::size_t n, float min, float scale, float* values,
                     bool streams) {
  NUMPACT_DISPATCH(CodesToValues)(codes, n, min, scale, values, streams);
}

void values_to_codes(const float* values, std::size_t n, float min, float scale,
                     std::uint8_t* codes) {
  NUMPACT_DISPATCH(ValuesToCodes)(values, n, min, scale, codes);
}

ValueRange range_of(const float* values, std::size_t n) {
  return NUMPACT_DISPATCH(RangeOf)(values, n);
}

}  // namespace numpact::cvc::internal

#endif
