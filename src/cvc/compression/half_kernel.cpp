// SPDX-License-Identifier: Apache-2.0
// Conversion loops of half precision and bfloat16, compiled for every target. Conversion
// instructions make signalling NaNs quiet and do not report overflow, so blocks with infinities,
// NaNs or overflowing values take the scalar path, which defines the result.
#include "base/internal.hpp"
#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cvc/compression/half_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cmath>

#include "base/load.hpp"
#include "cvc/compression/half.hpp"
#include "cvc/compression/stream-inl.hpp"

#if NUMPACT_VECTOR_KERNEL
HWY_BEFORE_NAMESPACE();
namespace numpact::cvc::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void HalvesToFloatsScalar(const std::byte* halves, std::size_t n, float* out) {
  for (std::size_t i = 0; i < n; ++i) {
    std::uint16_t half;
    std::memcpy(&half, halves + 2 * i, 2);
    const std::uint32_t bits = half_to_float_bits(half);
    std::memcpy(out + i, &bits, sizeof bits);
  }
}

std::size_t FloatsToHalvesScalar(const float* values, std::size_t n, std::uint16_t* out) {
  std::size_t overflows = 0;
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = half_of(values[i]);
    const float magnitude = std::fabs(values[i]);
    overflows += magnitude >= kHalfOverflow && magnitude < HUGE_VALF ? 1 : 0;
  }
  return overflows;
}

std::size_t FloatsToBFloats(const float* HWY_RESTRICT values, std::size_t n,
                            std::uint16_t* HWY_RESTRICT out) {
  std::size_t infinite = 0;
  for (std::size_t i = 0; i < n; ++i) out[i] = bfloat_of(values[i]);
  for (std::size_t i = 0; i < n; ++i) infinite += (out[i] & 0x7fffu) == 0x7f80u ? 1 : 0;
  if (infinite == 0) return 0;
  std::size_t overflows = 0;
  for (std::size_t i = 0; i < n; ++i) {
    overflows += (out[i] & 0x7fffu) == 0x7f80u && std::isfinite(values[i]) ? 1 : 0;
  }
  return overflows;
}

void BFloatsToFloatsScalar(const std::byte* bfloats, std::size_t n, float* out) {
  for (std::size_t i = 0; i < n; ++i) {
    std::uint16_t high;
    std::memcpy(&high, bfloats + 2 * i, 2);
    const std::uint32_t bits = std::uint32_t{high} << 16;
    std::memcpy(out + i, &bits, sizeof bits);
  }
}

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

void HalvesToFloats(const std::byte* halves, std::size_t n, float* out, bool) {
  HalvesToFloatsScalar(halves, n, out);
}

void BFloatsToFloats(const std::byte* bfloats, std::size_t n, float* out, bool) {
  BFloatsToFloatsScalar(bfloats, n, out);
}

std::size_t FloatsToHalves(const float* values, std::size_t n, std::uint16_t* out) {
  return FloatsToHalvesScalar(values, n, out);
}

#else

// Vectors of floats per block; special values are checked once per block.
constexpr std::size_t kVectorsPerBlock = 4;
// Distance of prefetches, in values. The hardware prefetcher alone is too late.
constexpr std::size_t kHalfPrefetchDistance = 512;

// Converts a vector of halves without NaNs and infinities.
template <class DF>
HWY_INLINE hn::VFromD<DF> FiniteToFloat(DF df, const std::uint16_t* halves) {
  const hn::Rebind<std::uint16_t, DF> d16;
#if HWY_TARGET <= HWY_AVX2
  const hn::Rebind<hwy::float16_t, DF> dh;
  return hn::PromoteTo(df, hn::BitCast(dh, hn::LoadU(d16, halves)));
#else
  const hn::RebindToUnsigned<DF> du;
  const auto bits = hn::PromoteTo(du, hn::LoadU(d16, halves));
  const auto sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(du, 0x8000u)));
  const auto magnitude = hn::ShiftLeft<13>(hn::And(bits, hn::Set(du, 0x7fffu)));
  const auto normal = hn::Add(magnitude, hn::Set(du, 112u << 23));
  // Subnormal: put the mantissa into a float with the exponent of 2^-14, then subtract 2^-14.
  const auto smallest_normal = hn::Set(du, 113u << 23);
  const auto subnormal =
      hn::BitCast(du, hn::Sub(hn::BitCast(df, hn::Add(magnitude, smallest_normal)),
                              hn::BitCast(df, smallest_normal)));
  const auto is_subnormal = hn::Eq(hn::And(magnitude, hn::Set(du, 0x0f800000u)), hn::Zero(du));
  return hn::BitCast(df, hn::Or(sign, hn::IfThenElse(is_subnormal, subnormal, normal)));
#endif
}

template <bool kStreams>
std::size_t BlocksToFloats(const std::byte* halves, std::size_t n, float* HWY_RESTRICT out) {
  const hn::ScalableTag<float> df;
  const hn::ScalableTag<std::uint16_t> d16;
  const std::size_t lanes = hn::Lanes(df);
  const std::size_t block = kVectorsPerBlock * lanes;
  const auto exponent = hn::Set(d16, 0x7c00);
  // Highway loads from any address.
  const auto* const from = reinterpret_cast<const std::uint16_t*>(halves);
  std::size_t i = 0;
  // Invariant: halves before i are converted. The largest exponent shows whether a block has a
  // NaN or an infinity.
  for (; i + block <= n; i += block) {
    const auto a = hn::And(hn::LoadU(d16, from + i), exponent);
    const auto b = hn::And(hn::LoadU(d16, from + i + block / 2), exponent);
    if (!hn::AllFalse(d16, hn::Eq(hn::Max(a, b), exponent))) {
      HalvesToFloatsScalar(halves + 2 * i, block, out + i);
      continue;
    }
    for (std::size_t k = 0; k < block; k += lanes) {
      PutVector<kStreams>(df, FiniteToFloat(df, from + i + k), out + i + k);
    }
  }
  return i;
}

void HalvesToFloats(const std::byte* halves, std::size_t n, float* out, bool streams) {
  std::size_t i = 0;
  if (streams) {
    i = ValuesToAligned(out, n);
    HalvesToFloatsScalar(halves, i, out);
    i += BlocksToFloats<true>(halves + 2 * i, n - i, out + i);
    hwy::FlushStream();
  } else {
    i = BlocksToFloats<false>(halves, n, out);
  }
  HalvesToFloatsScalar(halves + 2 * i, n - i, out + i);
}

template <bool kStreams>
std::size_t VectorsToFloats(const std::byte* bfloats, std::size_t n, float* HWY_RESTRICT out) {
  const hn::ScalableTag<float> df;
  const hn::RebindToUnsigned<decltype(df)> du;
  const hn::Rebind<std::uint16_t, decltype(df)> d16;
  const std::size_t lanes = hn::Lanes(df);
  const auto* const from = reinterpret_cast<const std::uint16_t*>(bfloats);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto bits = hn::ShiftLeft<16>(hn::PromoteTo(du, hn::LoadU(d16, from + i)));
    PutVector<kStreams>(df, hn::BitCast(df, bits), out + i);
  }
  return i;
}

void BFloatsToFloats(const std::byte* bfloats, std::size_t n, float* out, bool streams) {
  std::size_t i = 0;
  if (streams) {
    i = ValuesToAligned(out, n);
    BFloatsToFloatsScalar(bfloats, i, out);
    i += VectorsToFloats<true>(bfloats + 2 * i, n - i, out + i);
    hwy::FlushStream();
  } else {
    i = VectorsToFloats<false>(bfloats, n, out);
  }
  BFloatsToFloatsScalar(bfloats + 2 * i, n - i, out + i);
}

// Converts a vector of floats whose magnitudes are below kHalfOverflow.
template <class DF>
HWY_INLINE void FiniteToHalf(DF df, const float* values, std::uint16_t* out) {
  const hn::Rebind<std::uint16_t, DF> d16;
  const auto v = hn::LoadU(df, values);
#if HWY_TARGET <= HWY_AVX2
  const hn::Rebind<hwy::float16_t, DF> dh;
  hn::StoreU(hn::BitCast(d16, hn::DemoteTo(dh, v)), d16, out);
#else
  const hn::RebindToSigned<DF> di;
  const auto bits = hn::BitCast(di, v);
  const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(di, 0x8000));
  const auto magnitude = hn::And(bits, hn::Set(di, 0x7fffffff));
  const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(di, 1));
  const auto normal =
      hn::ShiftRight<13>(hn::Add(hn::Sub(magnitude, hn::Set(di, 0x38000000 - 0xfff)), odd));
  const auto shifted = hn::Add(hn::BitCast(df, magnitude), hn::Set(df, 0.5f));
  const auto subnormal = hn::Sub(hn::BitCast(di, shifted), hn::Set(di, 0x3f000000));
  const auto is_subnormal = hn::Lt(magnitude, hn::Set(di, 0x38800000));
  const auto half = hn::Or(sign, hn::IfThenElse(is_subnormal, subnormal, normal));
  hn::StoreU(hn::DemoteTo(d16, half), d16, out);
#endif
}

std::size_t FloatsToHalves(const float* HWY_RESTRICT values, std::size_t n,
                           std::uint16_t* HWY_RESTRICT out) {
  const hn::ScalableTag<float> df;
  const hn::RebindToSigned<decltype(df)> di;
  const std::size_t lanes = hn::Lanes(df);
  const std::size_t block = kVectorsPerBlock * lanes;
  const auto mask = hn::Set(di, 0x7fffffff);
  const auto overflow = hn::BitCast(di, hn::Set(df, kHalfOverflow));
  std::size_t overflows = 0;
  std::size_t i = 0;
  for (; i + block <= n; i += block) {
    for (std::size_t k = 0; k < block; k += 16)
      hwy::Prefetch(values + i + kHalfPrefetchDistance + k);
    auto max_magnitude = hn::Zero(di);
    for (std::size_t k = 0; k < block; k += lanes) {
      max_magnitude =
          hn::Max(max_magnitude, hn::And(hn::BitCast(di, hn::LoadU(df, values + i + k)), mask));
    }
    if (!hn::AllTrue(di, hn::Lt(max_magnitude, overflow))) {
      overflows += FloatsToHalvesScalar(values + i, block, out + i);
      continue;
    }
    for (std::size_t k = 0; k < block; k += lanes) FiniteToHalf(df, values + i + k, out + i + k);
  }
  return overflows + FloatsToHalvesScalar(values + i, n - i, out + i);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace numpact::cvc::internal
HWY_AFTER_NAMESPACE();
#endif  // NUMPACT_VECTOR_KERNEL

#if HWY_ONCE

#include "simd/dispatch.hpp"

namespace numpact::cvc::internal {

NUMPACT_EXPORT_VECTOR(HalvesToFloats);
NUMPACT_EXPORT_VECTOR(FloatsToHalves);
NUMPACT_EXPORT_VECTOR(FloatsToBFloats);
NUMPACT_EXPORT_VECTOR(BFloatsToFloats);

void halves_to_floats(const std::byte* halves, std::size_t n, float* out, bool streams) {
  NUMPACT_DISPATCH(HalvesToFloats)(halves, n, out, streams);
}

std::size_t floats_to_halves(const float* values, std::size_t n, std::uint16_t* out) {
  return NUMPACT_DISPATCH(FloatsToHalves)(values, n, out);
}

std::size_t floats_to_bfloats(const float* values, std::size_t n, std::uint16_t* out) {
  return NUMPACT_DISPATCH(FloatsToBFloats)(values, n, out);
}

void bfloats_to_floats(const std::byte* bfloats, std::size_t n, float* out, bool streams) {
  NUMPACT_DISPATCH(BFloatsToFloats)(bfloats, n, out, streams);
}

}  // namespace numpact::cvc::internal

#endif
