// SPDX-License-Identifier: Apache-2.0
// Loops of the modes, compiled for every target. Each loop computes the formula in the header of
// its mode.
#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/mode/modes_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <limits>
#include <type_traits>

#include "base/round_to_even.hpp"
#include "number/ordered.hpp"
#include "pco/limits.hpp"
#include "pco/mode/dict.hpp"
#include "pco/mode/float_mult.hpp"
#include "pco/mode/float_quant.hpp"
#include "pco/mode/int_mult.hpp"

#if NUMPACT_VECTOR_KERNEL
HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class L>
bool JoinDict(std::span<const L> entries, const std::uint32_t* indices, std::size_t n, L* out) {
  std::uint32_t max_index = 0;
  for (std::size_t i = 0; i < n; ++i) max_index = std::max(max_index, indices[i]);
  if (n == 0) return true;
  if (max_index >= entries.size()) {
    std::fill_n(out, n, L{0});
    return false;
  }
  const L* const at = entries.data();
  for (std::size_t i = 0; i < n; ++i) out[i] = at[indices[i]];
  return true;
}

template <class L>
void JoinIntMult(L base, NumberKind kind, L* HWY_RESTRICT primary, const L* HWY_RESTRICT secondary,
                 std::size_t n) {
  const L flip = kind == NumberKind::kSigned ? kMid<L> : L{0};
  for (std::size_t i = 0; i < n; ++i) {
    primary[i] = wrapping_add(wrapping_mul(primary[i], base), secondary[i]) ^ flip;
  }
}

// Multiplies by the reciprocal, which is rounded down, so a quotient may be 1 too small.
template <class L>
void SplitIntMult(L base, const L* HWY_RESTRICT ordered, std::size_t n, L* HWY_RESTRICT primary,
                  L* HWY_RESTRICT secondary) {
  const L reciprocal = static_cast<L>(static_cast<L>(~L{0}) / base);
  for (std::size_t i = 0; i < n; ++i) {
    const L low_quotient = upper_product(ordered[i], reciprocal);
    const L rest = static_cast<L>(ordered[i] - low_quotient * base);
    const L correction = rest >= base ? 1 : 0;
    primary[i] = static_cast<L>(low_quotient + correction);
    secondary[i] = static_cast<L>(rest - (correction != 0 ? base : L{0}));
  }
}

// The formula, for any latents.
template <class L>
HWY_NOINLINE void ScalarJoinFloatMult(L base_bits, L* HWY_RESTRICT primary,
                                      const L* HWY_RESTRICT secondary, std::size_t n) {
  const auto base = FloatTraits<L>::to_arithmetic(base_bits);
  for (std::size_t i = 0; i < n; ++i) {
    const L latent = static_cast<L>(float_mult_product(primary[i], base) + secondary[i] + kMid<L>);
    primary[i] = from_ordered(latent, NumberKind::kFloat);
  }
}

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

// Signed integers of magnitude below 2^kSmallBits are converted to floats in one or two vector
// operations. Conversion of 64-bit integers needs AVX-512; other targets use a trick with 2^52,
// which loses two bits.
#if HWY_TARGET <= HWY_AVX3
template <class L>
inline constexpr unsigned kSmallBits = FloatTraits<L>::kMantissaBits + 1;
#else
template <class L>
inline constexpr unsigned kSmallBits = sizeof(L) == 8 ? 51 : FloatTraits<L>::kMantissaBits + 1;
#endif

template <class DF, class VI>
HWY_INLINE hn::VFromD<DF> SmallToFloat(DF df, VI integers) {
#if HWY_TARGET <= HWY_AVX3
  return hn::ConvertTo(df, integers);
#else
  if constexpr (sizeof(hn::TFromD<DF>) == 8) {
    // Adding the integer to the bits of 1.5 * 2^52 gives the bits of the sum, since the last
    // mantissa bit of such a double counts 1.
    const auto shift = hn::Set(df, 0x1.8p52);
    const auto sum = hn::Add(integers, hn::BitCast(hn::RebindToSigned<DF>(), shift));
    return hn::Sub(hn::BitCast(df, sum), shift);
  } else {
    return hn::ConvertTo(df, integers);
  }
#endif
}

// The reverse, for floats that are whole numbers of magnitude below 2^kSmallBits.
template <class DI, class VF>
HWY_INLINE hn::VFromD<DI> SmallToInteger(DI di, VF numbers) {
#if HWY_TARGET <= HWY_AVX3
  return hn::ConvertTo(di, numbers);
#else
  if constexpr (sizeof(hn::TFromD<DI>) == 8) {
    const auto shift = hn::Set(hn::RebindToFloat<DI>(), 0x1.8p52);
    return hn::Sub(hn::BitCast(di, hn::Add(numbers, shift)), hn::BitCast(di, shift));
  } else {
    return hn::ConvertTo(di, numbers);
  }
#endif
}

// Converts the sign and magnitude of a float to a signed integer that sorts the same, and back.
template <class DI, class VI>
HWY_INLINE VI SwapOrder(DI di, VI bits) {
  using I = hn::TFromD<DI>;
  const auto sign = hn::BroadcastSignBit(bits);
  const auto magnitude = hn::Set(di, hwy::LimitsMax<I>());
#if HWY_TARGET <= HWY_AVX3
  constexpr int kXorAnd = 0x78;  // a ^ (b & c)
  if constexpr (sizeof(hn::Vec<DI>) == 64) {
    return VI{_mm512_ternarylogic_epi64(bits.raw, sign.raw, magnitude.raw, kXorAnd)};
  }
#endif
  return hn::Xor(bits, hn::And(sign, magnitude));
}

// Whether all latents represent integers that SmallToFloat supports.
template <class L>
bool AllSmall(const L* latents, std::size_t n) {
  const hn::ScalableTag<L> d;
  const std::size_t lanes = hn::Lanes(d);
  // Adding it makes small integers nonnegative and smaller than 2^(kSmallBits + 1).
  constexpr L kSmallToNonnegative = static_cast<L>((L{1} << kSmallBits<L>)-kMid<L>);
  const auto shift = hn::Set(d, kSmallToNonnegative);
  auto all_bits = hn::Zero(d);
  for (std::size_t i = 0; i < n; i += lanes) {
    all_bits = hn::Or(all_bits, hn::Add(hn::LoadU(d, latents + i), shift));
  }
  return hn::AllTrue(d, hn::Eq(hn::ShiftRight<kSmallBits<L> + 1>(all_bits), hn::Zero(d)));
}

template <class L>
bool IsFloatMultFast(const L* primary, std::size_t n) {
  return n % hn::Lanes(hn::ScalableTag<L>()) == 0 && AllSmall(primary, n);
}

// Joins kVectors vectors from `primary` on. The base must be positive. Returns false, and stores
// nothing, if an integer is not small.
//
// The product of a magnitude and the base is positive, so its bits are its ordered latent without
// the middle. Latent -1 represents -0.0. So the magnitude of a negative latent is the complement of
// the latent, and the ordered latent of a negative product is that of the positive one,
// complemented.
template <std::size_t kVectors, class L>
HWY_INLINE bool JoinSmallFloatMult(L base_bits, L* HWY_RESTRICT primary,
                                   const L* HWY_RESTRICT secondary) {
  const hn::ScalableTag<L> d;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::RebindToFloat<decltype(d)> df;
  const std::size_t lanes = hn::Lanes(d);
  const auto mid = hn::Set(di, hwy::LimitsMin<hn::TFromD<decltype(di)>>());
  const auto base = hn::Set(df, FloatTraits<L>::to_arithmetic(base_bits));
  hn::Vec<decltype(di)> negative[kVectors];
  hn::Vec<decltype(di)> magnitudes[kVectors];
  auto all_bits = hn::Zero(di);
  HWY_UNROLL(4)
  for (std::size_t k = 0; k < kVectors; ++k) {
    const auto latents = hn::Xor(hn::BitCast(di, hn::LoadU(d, primary + k * lanes)), mid);
    negative[k] = hn::BroadcastSignBit(latents);
    magnitudes[k] = hn::Xor(latents, negative[k]);
    all_bits = hn::Or(all_bits, magnitudes[k]);
  }
  if (!hn::AllTrue(di, hn::Eq(hn::ShiftRight<kSmallBits<L>>(all_bits), hn::Zero(di)))) return false;
  HWY_UNROLL(4)
  for (std::size_t k = 0; k < kVectors; ++k) {
    const auto product = hn::BitCast(di, hn::Mul(SmallToFloat(df, magnitudes[k]), base));
    const auto correction = hn::Xor(hn::BitCast(di, hn::LoadU(d, secondary + k * lanes)), mid);
    const auto numbers = SwapOrder(di, hn::Add(hn::Xor(product, negative[k]), correction));
    hn::StoreU(hn::BitCast(d, numbers), d, primary + k * lanes);
  }
  return true;
}

template <class L>
void JoinFloatMult(L base_bits, L* HWY_RESTRICT primary, const L* HWY_RESTRICT secondary,
                   std::size_t n) {
  constexpr std::size_t kVectors = 4;
  const std::size_t lanes = hn::Lanes(hn::ScalableTag<L>());
  // A negative base is valid, but written on request only.
  const bool is_positive = base_bits < kInfinityBits<L>;
  for (std::size_t i = 0; i < n;) {
    std::size_t step = is_positive ? std::min(n - i, lanes) : n;
    bool is_joined = false;
    if (is_positive && n - i >= kVectors * lanes) {
      step = kVectors * lanes;
      is_joined = JoinSmallFloatMult<kVectors>(base_bits, primary + i, secondary + i);
    } else if (is_positive && step == lanes) {
      is_joined = JoinSmallFloatMult<1>(base_bits, primary + i, secondary + i);
    }
    if (!is_joined) ScalarJoinFloatMult(base_bits, primary + i, secondary + i, step);
    i += step;
  }
}

void JoinFloatMult(std::uint16_t base_bits, std::uint16_t* HWY_RESTRICT primary,
                   const std::uint16_t* HWY_RESTRICT secondary, std::size_t n) {
#if HWY_TARGET <= HWY_AVX2  // has conversions between half and float that round to nearest even
  using L = std::uint16_t;
  const hn::ScalableTag<float> df;
  const hn::RebindToSigned<decltype(df)> di32;
  const hn::Rebind<L, decltype(df)> d;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::Rebind<hwy::float16_t, decltype(df)> dh;
  const std::size_t lanes = hn::Lanes(df);
  const std::size_t vector_n = n - n % hn::Lanes(hn::ScalableTag<L>());
  if (!AllSmall(primary, vector_n)) return ScalarJoinFloatMult(base_bits, primary, secondary, n);
  const auto base = hn::Set(df, FloatTraits<L>::to_arithmetic(base_bits));
  const auto mid = hn::Set(d, kMid<L>);
  const auto sign = hn::Set(di32, std::numeric_limits<std::int32_t>::min());
  for (std::size_t i = 0; i < vector_n; i += lanes) {
    const auto latents =
        hn::PromoteTo(di32, hn::BitCast(di, hn::Xor(hn::LoadU(d, primary + i), mid)));
    const auto negative = hn::BroadcastSignBit(latents);
    const auto magnitudes = hn::ConvertTo(df, hn::Sub(latents, negative));
    const auto factors = hn::Or(magnitudes, hn::BitCast(df, hn::And(negative, sign)));
    const auto rounded = hn::DemoteTo(dh, hn::Mul(factors, base));
    const auto products = SwapOrder(di, hn::BitCast(di, rounded));
    const auto corrections = hn::BitCast(di, hn::Xor(hn::LoadU(d, secondary + i), mid));
    const auto numbers = SwapOrder(di, hn::Add(products, corrections));
    hn::StoreU(hn::BitCast(d, numbers), d, primary + i);
  }
  ScalarJoinFloatMult(base_bits, primary + vector_n, secondary + vector_n, n - vector_n);
#else
  ScalarJoinFloatMult(base_bits, primary, secondary, n);
#endif
}

#else

template <class L>
bool IsFloatMultFast(const L*, std::size_t) {
  return false;
}

// The same on scalars, but the sign is set before the product is computed.
template <class L>
void JoinFloatMult(L base_bits, L* HWY_RESTRICT primary, const L* HWY_RESTRICT secondary,
                   std::size_t n) {
  if constexpr (sizeof(L) == 8) {
    constexpr unsigned kSmallBits = 51;
    // Adding a small integer to the bits of this double gives the bits of the sum.
    constexpr double kMagicOffset = 0x1.8p52;
    std::uint64_t all_bits = 0;
    for (std::size_t i = 0; i < n; ++i) {
      all_bits |= primary[i] + ((std::uint64_t{1} << kSmallBits) - kMid<L>);
    }
    if (all_bits >> (kSmallBits + 1) == 0) {
      const double base = FloatTraits<L>::to_arithmetic(base_bits);
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t latent = primary[i] ^ kMid<L>;
        const std::uint64_t negative = top_bit_mask(latent);
        const std::uint64_t sum = latent - negative + std::bit_cast<std::uint64_t>(kMagicOffset);
        const std::uint64_t factor =
            std::bit_cast<std::uint64_t>(std::bit_cast<double>(sum) - kMagicOffset) |
            (negative & kMid<L>);
        const auto product = std::bit_cast<std::uint64_t>(std::bit_cast<double>(factor) * base);
        const std::uint64_t ordered =
            (product ^ (top_bit_mask(product) & ~kMid<L>)) + (secondary[i] ^ kMid<L>);
        primary[i] = ordered ^ (top_bit_mask(ordered) & ~kMid<L>);
      }
      return;
    }
  }
  ScalarJoinFloatMult(base_bits, primary, secondary, n);
}

#endif

// Latents that are not small make at most their own batch slow.
template <class L>
void JoinFloatMultByBatch(L base_bits, L* primary, const L* secondary, std::size_t n) {
  for (std::size_t i = 0; i < n; i += kBatchN) {
    JoinFloatMult(base_bits, primary + i, secondary + i, std::min(kBatchN, n - i));
  }
}

// The formula, for any floats.
template <class L>
void ScalarSplitFloatMult(L base_bits, const L* HWY_RESTRICT ordered, std::size_t n,
                          L* HWY_RESTRICT primary, L* HWY_RESTRICT secondary) {
  using Arithmetic = typename FloatTraits<L>::Arithmetic;
  const Arithmetic base = FloatTraits<L>::to_arithmetic(base_bits);
  for (std::size_t i = 0; i < n; ++i) {
    const L bits = from_ordered(ordered[i], NumberKind::kFloat);
    const Arithmetic quotient = round_to_even(FloatTraits<L>::to_arithmetic(bits) / base);
    // A NaN is its own multiple; one that signals needs a correction, since the product is quiet.
    const L factor = is_nan_bits(bits) ? bits : FloatTraits<L>::to_bits(quotient);
    const L latent = int_float_latent(factor);
    primary[i] = latent;
    secondary[i] = static_cast<L>(ordered[i] - float_mult_product(latent, base) - kMid<L>);
  }
}

// Vector division of 32-bit Arm is an approximation.
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128 && !HWY_ARCH_ARM_V7

template <class L>
void SplitFloatMult(L base_bits, const L* HWY_RESTRICT ordered, std::size_t n,
                    L* HWY_RESTRICT primary, L* HWY_RESTRICT secondary) {
  std::size_t i = 0;
  if constexpr (sizeof(L) >= 4) {
    const hn::ScalableTag<L> d;
    const hn::RebindToSigned<decltype(d)> di;
    const hn::RebindToFloat<decltype(d)> df;
    const std::size_t lanes = hn::Lanes(d);
    const auto base = hn::Set(df, FloatTraits<L>::to_arithmetic(base_bits));
    const auto mid = hn::Set(di, static_cast<std::make_signed_t<L>>(kMid<L>));
    const auto small = hn::Set(df, static_cast<hn::TFromD<decltype(df)>>(L{1} << kSmallBits<L>));
    for (; i + lanes <= n; i += lanes) {
      // XOR with the middle turns ordered latents into signed integers of the same order.
      const auto latents = hn::BitCast(di, hn::LoadU(d, ordered + i));
      const auto signed_latents = hn::Xor(latents, mid);
      const auto numbers = hn::BitCast(df, SwapOrder(di, signed_latents));
      // Round() of Highway 1.2 for SSE2 makes 0 of -0.3, where rint() makes -0.
      const auto exact = hn::Div(numbers, base);
      const auto quotients = hn::CopySign(hn::Round(exact), exact);
      // False for a NaN too. If true, multiples are whole numbers that floats can represent.
      if (!hn::AllTrue(df, hn::Lt(hn::Abs(quotients), small))) {
        ScalarSplitFloatMult(base_bits, ordered + i, lanes, primary + i, secondary + i);
        continue;
      }
      const auto negative = hn::BroadcastSignBit(hn::BitCast(di, quotients));
      const auto multiples = hn::Add(SmallToInteger(di, quotients), negative);
      const auto products = SwapOrder(di, hn::BitCast(di, hn::Mul(quotients, base)));
      const auto corrections = hn::Sub(signed_latents, products);
      hn::StoreU(hn::BitCast(d, hn::Xor(multiples, mid)), d, primary + i);
      hn::StoreU(hn::BitCast(d, hn::Xor(corrections, mid)), d, secondary + i);
    }
  }
  ScalarSplitFloatMult(base_bits, ordered + i, n - i, primary + i, secondary + i);
}

#else

template <class L>
void SplitFloatMult(L base_bits, const L* HWY_RESTRICT ordered, std::size_t n,
                    L* HWY_RESTRICT primary, L* HWY_RESTRICT secondary) {
  ScalarSplitFloatMult(base_bits, ordered, n, primary, secondary);
}

#endif

template <class L>
void JoinFloatQuant(unsigned k, L* HWY_RESTRICT primary, const L* HWY_RESTRICT secondary,
                    std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    primary[i] = float_quant_join(primary[i], secondary[i], k);
  }
}

template <class L>
void SplitFloatQuant(unsigned k, const L* HWY_RESTRICT ordered, std::size_t n,
                     L* HWY_RESTRICT primary, L* HWY_RESTRICT secondary) {
  const L low_mask = static_cast<L>((L{1} << k) - 1);
  for (std::size_t i = 0; i < n; ++i) {
    const L low = static_cast<L>(ordered[i] & low_mask);
    primary[i] = static_cast<L>(ordered[i] >> k);
    secondary[i] = ordered[i] >= kMid<L> ? low : static_cast<L>(low_mask - low);
  }
}

// NUMPACT_EXPORT_VECTOR needs plain functions: one per loop and width.
#define NUMPACT_INTEGER_KERNELS(L, S)                                                       \
  bool JoinDict##S(std::span<const L> entries, const std::uint32_t* indices, std::size_t n, \
                   L* out) {                                                                \
    return JoinDict(entries, indices, n, out);                                              \
  }                                                                                         \
  void JoinIntMult##S(L base, NumberKind kind, L* p, const L* s, std::size_t n) {           \
    JoinIntMult(base, kind, p, s, n);                                                       \
  }                                                                                         \
  void SplitIntMult##S(L base, const L* x, std::size_t n, L* p, L* s) {                     \
    SplitIntMult(base, x, n, p, s);                                                         \
  }
#define NUMPACT_FLOAT_KERNELS(L, S)                                                    \
  void JoinFloatMult##S(L base, L* p, const L* s, std::size_t n) {                     \
    JoinFloatMultByBatch(base, p, s, n);                                               \
  }                                                                                    \
  bool IsFloatMultFast##S(const L* p, std::size_t n) { return IsFloatMultFast(p, n); } \
  void SplitFloatMult##S(L base, const L* x, std::size_t n, L* p, L* s) {              \
    SplitFloatMult(base, x, n, p, s);                                                  \
  }                                                                                    \
  void JoinFloatQuant##S(unsigned k, L* p, const L* s, std::size_t n) {                \
    JoinFloatQuant(k, p, s, n);                                                        \
  }                                                                                    \
  void SplitFloatQuant##S(unsigned k, const L* x, std::size_t n, L* p, L* s) {         \
    SplitFloatQuant(k, x, n, p, s);                                                    \
  }
NUMPACT_INTEGER_KERNELS(std::uint8_t, 8)
NUMPACT_INTEGER_KERNELS(std::uint16_t, 16)
NUMPACT_INTEGER_KERNELS(std::uint32_t, 32)
NUMPACT_INTEGER_KERNELS(std::uint64_t, 64)
NUMPACT_FLOAT_KERNELS(std::uint16_t, 16)
NUMPACT_FLOAT_KERNELS(std::uint32_t, 32)
NUMPACT_FLOAT_KERNELS(std::uint64_t, 64)
#undef NUMPACT_INTEGER_KERNELS
#undef NUMPACT_FLOAT_KERNELS

}  // namespace HWY_NAMESPACE
}  // namespace numpact::internal
HWY_AFTER_NAMESPACE();
#endif  // NUMPACT_VECTOR_KERNEL

#if HWY_ONCE
#include "simd/dispatch.hpp"

namespace numpact::internal {

#define NUMPACT_INTEGER_ENTRIES(L, S)                                                              \
  NUMPACT_EXPORT_VECTOR(JoinDict##S);                                                              \
  NUMPACT_EXPORT_VECTOR(JoinIntMult##S);                                                           \
  NUMPACT_EXPORT_VECTOR(SplitIntMult##S);                                                          \
  template <>                                                                                      \
  bool join_dict<L>(std::span<const L> entries, const std::uint32_t* indices, std::size_t n,       \
                    L* out) {                                                                      \
    return NUMPACT_DISPATCH(JoinDict##S)(entries, indices, n, out);                                \
  }                                                                                                \
  template <>                                                                                      \
  void join_int_mult<L>(L base, NumberKind kind, L * primary, const L* secondary, std::size_t n) { \
    NUMPACT_DISPATCH(JoinIntMult##S)(base, kind, primary, secondary, n);                           \
  }                                                                                                \
  template <>                                                                                      \
  void split_int_mult<L>(L base, const L* ordered, std::size_t n, L* primary, L* secondary) {      \
    NUMPACT_DISPATCH(SplitIntMult##S)(base, ordered, n, primary, secondary);                       \
  }
#define NUMPACT_FLOAT_ENTRIES(L, S)                                                             \
  NUMPACT_EXPORT_VECTOR(JoinFloatMult##S);                                                      \
  NUMPACT_EXPORT_VECTOR(IsFloatMultFast##S);                                                    \
  template <>                                                                                   \
  bool is_float_mult_fast<L>(const L* primary, std::size_t n) {                                 \
    return NUMPACT_DISPATCH(IsFloatMultFast##S)(primary, n);                                    \
  }                                                                                             \
  NUMPACT_EXPORT_VECTOR(SplitFloatMult##S);                                                     \
  NUMPACT_EXPORT_VECTOR(JoinFloatQuant##S);                                                     \
  NUMPACT_EXPORT_VECTOR(SplitFloatQuant##S);                                                    \
  template <>                                                                                   \
  void join_float_mult<L>(L base, L * primary, const L* secondary, std::size_t n) {             \
    NUMPACT_DISPATCH(JoinFloatMult##S)(base, primary, secondary, n);                            \
  }                                                                                             \
  template <>                                                                                   \
  void split_float_mult<L>(L base, const L* ordered, std::size_t n, L* primary, L* secondary) { \
    NUMPACT_DISPATCH(SplitFloatMult##S)(base, ordered, n, primary, secondary);                  \
  }                                                                                             \
  template <>                                                                                   \
  void join_float_quant<L>(unsigned k, L* primary, const L* secondary, std::size_t n) {         \
    NUMPACT_DISPATCH(JoinFloatQuant##S)(k, primary, secondary, n);                              \
  }                                                                                             \
  template <>                                                                                   \
  void split_float_quant<L>(unsigned k, const L* ordered, std::size_t n, L* primary,            \
                            L* secondary) {                                                     \
    NUMPACT_DISPATCH(SplitFloatQuant##S)(k, ordered, n, primary, secondary);                    \
  }
NUMPACT_INTEGER_ENTRIES(std::uint8_t, 8)
NUMPACT_INTEGER_ENTRIES(std::uint16_t, 16)
NUMPACT_INTEGER_ENTRIES(std::uint32_t, 32)
NUMPACT_INTEGER_ENTRIES(std::uint64_t, 64)
NUMPACT_FLOAT_ENTRIES(std::uint16_t, 16)
NUMPACT_FLOAT_ENTRIES(std::uint32_t, 32)
NUMPACT_FLOAT_ENTRIES(std::uint64_t, 64)
#undef NUMPACT_INTEGER_ENTRIES
#undef NUMPACT_FLOAT_ENTRIES

}  // namespace numpact::internal
#endif
