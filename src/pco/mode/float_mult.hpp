// SPDX-License-Identifier: Apache-2.0
// FloatMult: x = int_float(primary) * base, then the centred secondary latent is added to the
// ordered latent of x. It counts units in the last place.
#pragma once

#include <bit>

#include "number/float_traits.hpp"
#include "number/ordered.hpp"
#include "pco/mode/mode.hpp"

namespace numpact::internal {

// In place: replaces the primary latents by the bits of the numbers.
template <FloatLatent L>
void join_float_mult(L base_bits, L* primary, const L* secondary, std::size_t n);

// Whether all primary latents represent integers that convert to floats in one step. Kernels that
// join while unpacking support only these.
template <FloatLatent L>
bool is_float_mult_fast(const L* primary, std::size_t n);

// Splits any floats. Floats far from a multiple of the base get large corrections.
template <FloatLatent L>
void split_float_mult(L base_bits, const L* ordered, std::size_t n, L* primary, L* secondary);

// After the split: replaces the primary latents of numbers that are no exact multiple.
template <FloatLatent L>
void substitute_multiples(L base_bits, L substitute, const L* ordered, std::size_t n, L* primary,
                          L* secondary);

struct FloatMult {
  friend bool operator==(const FloatMult&, const FloatMult&) = default;

  static constexpr Mode kTag = Mode::kFloatMult;
  static constexpr const char* kForm = "float-mult=BASE";
  static constexpr ModeParameter kParameter = ModeParameter::kFloat;
  static constexpr FormatVersion kFirstVersion{0, 0};
  static constexpr bool kHasSecondary = true;
  static constexpr FinishKind kJoin = FinishKind::kFloatMult;
  static constexpr bool kSplitsBits = false;

  std::uint64_t base_bits = 0;  // of the base as a float of the number's type
  // Writers only: the primary latent of numbers beyond the exact multiples, such as NaN and fill
  // values; 0 if they have their own. Deltas then jump less, and these numbers take a correction.
  std::uint64_t substitute = 0;

  static Status check_request(const ModeSpec& spec, NumberType type);
  static FloatMult requested(const ModeSpec& spec, NumberType type) {
    return of(std::bit_cast<double>(spec.parameter()), type);
  }
  static Status parse(BitReader& reader, const ModeContext& context, FloatMult& out);
  void write(BitWriter& writer, NumberType type) const;
  static constexpr unsigned parameter_bits(unsigned number_bits) { return number_bits; }
  std::uint64_t payload_bits(NumberType type, unsigned) const { return latent_bits(type); }

  double base(NumberType type) const;
  // The base rounded to the number type.
  static FloatMult of(double base, NumberType type);
  // Neither zero, infinite nor NaN.
  bool is_valid(NumberType type) const;

  template <FloatLatent L>
  void join(NumberKind, L* primary, const L* secondary, std::size_t n) const {
    join_float_mult(static_cast<L>(base_bits), primary, secondary, n);
  }
  template <FloatLatent L>
  void split(const L* ordered, std::size_t n, L* primary, L* secondary) const {
    split_float_mult(static_cast<L>(base_bits), ordered, n, primary, secondary);
    if (substitute == 0) return;
    substitute_multiples(static_cast<L>(base_bits), static_cast<L>(substitute), ordered, n, primary,
                         secondary);
  }
  template <FloatLatent L>
  L join_parameter() const {
    return static_cast<L>(base_bits);
  }
  template <FloatLatent L>
  bool joins_in_registers(const L* primary, std::size_t n) const {
    return is_float_mult_fast(primary, n);
  }
};

// 2^(mantissa digits). Each integer below it is a float; from it on, a latent counts floats instead
// of integers.
template <FloatLatent L>
inline constexpr L kFirstSparse = static_cast<L>(L{1} << (FloatTraits<L>::kMantissaBits + 1));

template <FloatLatent L>
inline constexpr L kFirstSparseBits =
    FloatTraits<L>::to_bits(static_cast<typename FloatTraits<L>::Arithmetic>(kFirstSparse<L>));

template <Latent L>
constexpr L select(bool condition, L if_true, L if_false) {
  const L mask = static_cast<L>(L{0} - static_cast<L>(condition));
  return static_cast<L>((if_true & mask) | (if_false & ~mask));
}

// The bits of the float of value a, for a < kFirstSparse; unspecified for other a. Uses only
// operations that every target has as vectors: a 64-bit integer is converted in two halves, each
// placed into the mantissa of a double of fixed exponent.
template <FloatLatent L>
constexpr L dense_float_bits(L a) {
  if constexpr (sizeof(L) == 8) {
    const double high = std::bit_cast<double>((a >> 32) | 0x4530000000000000u);         // 2^84 + a
    const double low = std::bit_cast<double>((a & 0xffffffffu) | 0x4330000000000000u);  // 2^52 + a
    return std::bit_cast<std::uint64_t>((high - (0x1p84 + 0x1p52)) + low);
  } else {
    using Arithmetic = typename FloatTraits<L>::Arithmetic;
    return FloatTraits<L>::to_bits(static_cast<Arithmetic>(static_cast<std::int32_t>(a)));
  }
}

// The bits of the float that a primary latent represents.
template <FloatLatent L>
constexpr L int_float_bits(L latent) {
  const L negative = static_cast<L>(~top_bit_mask(latent));
  const L a = static_cast<L>(latent ^ negative ^ kMid<L>);
  const L sparse = static_cast<L>(kFirstSparseBits<L> + (a - kFirstSparse<L>));
  const L bits = select(a < kFirstSparse<L>, dense_float_bits(a), sparse);
  return static_cast<L>(bits | (negative & kMid<L>));
}

// The primary latent of a float that is a whole number, infinite, or NaN.
template <FloatLatent L>
constexpr L int_float_latent(L bits) {
  const L magnitude = static_cast<L>(bits & (kMid<L> - 1));
  L a;
  if (magnitude < kFirstSparseBits<L>) {
    a = static_cast<L>(FloatTraits<L>::to_arithmetic(magnitude));
  } else {
    a = static_cast<L>(kFirstSparse<L> + (magnitude - kFirstSparseBits<L>));
  }
  return static_cast<L>((bits & kMid<L>) != 0 ? kMid<L> - 1 - a : kMid<L> + a);
}

// The ordered latent of the product, before correction. Defines the result of the kernels.
template <FloatLatent L>
constexpr L float_mult_product(L latent, typename FloatTraits<L>::Arithmetic base) {
  constexpr L kQuiet = static_cast<L>(L{1} << (FloatTraits<L>::kMantissaBits - 1));
  const L factor = int_float_bits(latent);
  // A NaN keeps its sign and payload and becomes quiet. Written on bits, since processors differ.
  const L quiet = static_cast<L>(factor | kQuiet);
  const L product = FloatTraits<L>::to_bits(FloatTraits<L>::to_arithmetic(factor) * base);
  return to_ordered(select(is_nan_bits(factor), quiet, product), NumberKind::kFloat);
}

// Whether a primary latent is an integer that the float type represents exactly.
template <FloatLatent L>
constexpr bool is_exact_multiple(L latent) {
  return static_cast<L>(latent + kFirstSparse<L> - kMid<L>) < 2 * kFirstSparse<L>;
}

template <FloatLatent L>
void substitute_multiples(L base_bits, L substitute, const L* ordered, std::size_t n, L* primary,
                          L* secondary) {
  const L product = float_mult_product(substitute, FloatTraits<L>::to_arithmetic(base_bits));
  for (std::size_t i = 0; i < n; ++i) {
    if (is_exact_multiple(primary[i])) continue;
    primary[i] = substitute;
    secondary[i] = static_cast<L>(ordered[i] - product - kMid<L>);
  }
}

}  // namespace numpact::internal
