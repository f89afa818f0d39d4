// SPDX-License-Identifier: Apache-2.0
// Quantization loops over rows with a range for each dimension, compiled for every target.
#include "base/internal.hpp"
#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cvc/compression/dims_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/load.hpp"
#include "cvc/compression/steps.hpp"
#include "simd/has_vectors-inl.hpp"

#if NUMPACT_VECTOR_KERNEL
HWY_BEFORE_NAMESPACE();
namespace numpact::cvc::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using numpact::internal::HWY_NAMESPACE::kHasVectors;
// Whether stored (little-endian) floats can be loaded as vectors.
constexpr bool kHasStoredVectors = kHasVectors && !kIsBigEndian;

HWY_INLINE float FloatAt(const std::byte* floats, std::size_t i) {
  return load_le<float>(floats + 4 * i);
}

HWY_INLINE std::uint8_t NibbleAt(const std::uint8_t* nibbles, std::size_t i) {
  return i % 2 == 0 ? nibbles[i / 2] & 15 : nibbles[i / 2] >> 4;
}

// Highway loads from any address.
HWY_INLINE const float* Floats(const std::byte* at) { return reinterpret_cast<const float*>(at); }

// Decodes one vector of codes; the first belongs to dimension i.
template <class D8>
HWY_INLINE void PutValues(D8 d8, const std::uint8_t* codes, const std::byte* mins,
                          const std::byte* scales, std::size_t i, float* values) {
  const hn::Rebind<float, D8> df;
  const hn::RebindToSigned<decltype(df)> di;
  const auto code = hn::ConvertTo(df, hn::PromoteTo(di, hn::LoadU(d8, codes)));
  const auto product = hn::Mul(code, hn::LoadU(df, Floats(scales) + i));
  hn::StoreU(hn::Add(product, hn::LoadU(df, Floats(mins) + i)), df, values + i);
}

void DimCodesToValues(const std::byte* codes, std::size_t n, const std::byte* mins,
                      const std::byte* scales, float* HWY_RESTRICT values) {
  const auto* const from = reinterpret_cast<const std::uint8_t*>(codes);
  std::size_t i = 0;
  if constexpr (kHasStoredVectors) {
    const hn::ScalableTag<float> df;
    const hn::Rebind<std::uint8_t, decltype(df)> d8;
    const std::size_t lanes = hn::Lanes(df);
    for (; i + lanes <= n; i += lanes) PutValues(d8, from + i, mins, scales, i, values);
  }
  for (; i < n; ++i) values[i] = value_of_code(from[i], FloatAt(mins, i), FloatAt(scales, i));
}

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
std::size_t NibbleVectors(const std::uint8_t*, std::size_t, const std::byte*, const std::byte*,
                          float*) {
  return 0;
}
#else
// Decodes 16 codes at a time from 8 bytes; returns how many were decoded. The low halves are the
// even codes, so interleaving low and high halves restores the order:
//   bytes   b0 = c1 c0, b1 = c3 c2, ...      (high half, low half)
//   firsts  c0 c2 c4 ...   seconds  c1 c3 c5 ...   interleaved  c0 c1 c2 c3 ...
std::size_t NibbleVectors(const std::uint8_t* nibbles, std::size_t n, const std::byte* mins,
                          const std::byte* scales, float* HWY_RESTRICT values) {
  constexpr std::size_t kBytes = 8;
  const hn::FixedTag<std::uint8_t, 2 * kBytes> d;
  const hn::FixedTag<std::uint8_t, kBytes> half;
  const hn::CappedTag<float, 2 * kBytes> df;
  const hn::Rebind<std::uint8_t, decltype(df)> d8;
  const std::size_t lanes = hn::Lanes(df);
  const auto low = hn::Set(d, 15);
  std::size_t i = 0;
  if constexpr (!kHasStoredVectors) return i;
  for (; i + 2 * kBytes <= n; i += 2 * kBytes) {
    const auto both = hn::ZeroExtendVector(d, hn::LoadU(half, nibbles + i / 2));
    const auto firsts = hn::And(both, low);
    const auto seconds = hn::And(hn::ShiftRight<4>(both), low);
    HWY_ALIGN std::uint8_t codes[2 * kBytes];
    hn::Store(hn::InterleaveLower(d, firsts, seconds), d, codes);
    for (std::size_t k = 0; k < 2 * kBytes; k += lanes) {
      PutValues(d8, codes + k, mins, scales, i + k, values);
    }
  }
  return i;
}
#endif

void DimNibblesToValues(const std::byte* nibbles, std::size_t n, const std::byte* mins,
                        const std::byte* scales, float* HWY_RESTRICT values) {
  const auto* const from = reinterpret_cast<const std::uint8_t*>(nibbles);
  for (std::size_t i = NibbleVectors(from, n, mins, scales, values); i < n; ++i) {
    values[i] = value_of_code(NibbleAt(from, i), FloatAt(mins, i), FloatAt(scales, i));
  }
}

void DimValuesToCodes(const float* HWY_RESTRICT values, std::size_t n,
                      const float* HWY_RESTRICT mins, const float* HWY_RESTRICT scales,
                      float max_code, std::uint8_t* HWY_RESTRICT codes) {
  std::size_t i = 0;
  if constexpr (kHasVectors) {
    const hn::ScalableTag<float> df;
    const hn::Rebind<std::uint8_t, decltype(df)> d8;
    const std::size_t lanes = hn::Lanes(df);
    const auto top = hn::Set(df, max_code);
    for (; i + lanes <= n; i += lanes) {
      const auto difference = hn::Sub(hn::LoadU(df, values + i), hn::LoadU(df, mins + i));
      const auto steps = hn::Div(difference, hn::LoadU(df, scales + i));
      hn::StoreU(hn::DemoteTo(d8, hn::NearestInt(hn::Min(steps, top))), d8, codes + i);
    }
  }
  for (; i < n; ++i) codes[i] = code_of_value(values[i], mins[i], scales[i], max_code);
}

void WidenRanges(const float* HWY_RESTRICT values, std::size_t n, const DimRanges& ranges) {
  float* HWY_RESTRICT const low = ranges.low;
  float* HWY_RESTRICT const high = ranges.high;
  float* HWY_RESTRICT const poison = ranges.poison;
  std::size_t i = 0;
  if constexpr (kHasVectors) {
    const hn::ScalableTag<float> df;
    const std::size_t lanes = hn::Lanes(df);
    for (; i + lanes <= n; i += lanes) {
      const auto v = hn::LoadU(df, values + i);
      hn::StoreU(hn::Min(hn::LoadU(df, low + i), v), df, low + i);
      hn::StoreU(hn::Max(hn::LoadU(df, high + i), v), df, high + i);
      const auto zero_or_nan = hn::Mul(v, hn::Zero(df));  // infinity * 0 is NaN, too
      hn::StoreU(hn::Add(hn::LoadU(df, poison + i), zero_or_nan), df, poison + i);
    }
  }
  for (; i < n; ++i) {
    low[i] = values[i] < low[i] ? values[i] : low[i];
    high[i] = values[i] > high[i] ? values[i] : high[i];
    poison[i] += values[i] * 0.0f;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace numpact::cvc::internal
HWY_AFTER_NAMESPACE();
#endif  // NUMPACT_VECTOR_KERNEL

#if HWY_ONCE

#include "simd/dispatch.hpp"

namespace numpact::cvc::internal {

NUMPACT_EXPORT_VECTOR(DimCodesToValues);
NUMPACT_EXPORT_VECTOR(DimNibblesToValues);
NUMPACT_EXPORT_VECTOR(DimValuesToCodes);
NUMPACT_EXPORT_VECTOR(WidenRanges);

void dim_codes_to_values(const std::byte* codes, std::size_t n, const std::byte* mins,
                         const std::byte* scales, float* values) {
  NUMPACT_DISPATCH(DimCodesToValues)(codes, n, mins, scales, values);
}

void dim_nibbles_to_values(const std::byte* nibbles, std::size_t n, const std::byte* mins,
                           const std::byte* scales, float* values) {
  NUMPACT_DISPATCH(DimNibblesToValues)(nibbles, n, mins, scales, values);
}

void dim_values_to_codes(const float* values, std::size_t n, const float* mins, const float* scales,
                         float max_code, std::uint8_t* codes) {
  NUMPACT_DISPATCH(DimValuesToCodes)(values, n, mins, scales, max_code, codes);
}

void widen_ranges(const float* values, std::size_t n, const DimRanges& ranges) {
  NUMPACT_DISPATCH(WidenRanges)(values, n, ranges);
}

}  // namespace numpact::cvc::internal

#endif
