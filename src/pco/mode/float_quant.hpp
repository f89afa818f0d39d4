// SPDX-License-Identifier: Apache-2.0
// FloatQuant: the secondary latent is the low k bits of the mantissa, the primary one the rest.
#pragma once

#include "number/float_traits.hpp"
#include "number/ordered.hpp"
#include "pco/mode/mode.hpp"

namespace numpact::internal {

// In place: replaces the primary latents by the bits of the numbers.
template <FloatLatent L>
void join_float_quant(unsigned k, L* primary, const L* secondary, std::size_t n);

template <FloatLatent L>
void split_float_quant(unsigned k, const L* ordered, std::size_t n, L* primary, L* secondary);

struct FloatQuant {
  friend bool operator==(const FloatQuant&, const FloatQuant&) = default;

  static constexpr Mode kTag = Mode::kFloatQuant;
  static constexpr const char* kForm = "float-quant=K";
  static constexpr ModeParameter kParameter = ModeParameter::kInteger;
  static constexpr FormatVersion kFirstVersion{2, 0};
  static constexpr bool kHasSecondary = true;
  static constexpr FinishKind kJoin = FinishKind::kFloatQuant;
  static constexpr bool kSplitsBits = true;

  unsigned k = 1;  // 1 to the type's stored mantissa bits

  static Status check_request(const ModeSpec& spec, NumberType type);
  static FloatQuant requested(const ModeSpec& spec, NumberType) {
    return {static_cast<unsigned>(spec.parameter())};
  }
  static Status parse(BitReader& reader, const ModeContext& context, FloatQuant& out);
  void write(BitWriter& writer, NumberType) const { writer.write(k, wire::kQuantKBits); }
  static constexpr unsigned parameter_bits(unsigned) { return wire::kQuantKBits; }
  std::uint64_t payload_bits(NumberType, unsigned) const { return wire::kQuantKBits; }

  template <FloatLatent L>
  void join(NumberKind, L* primary, const L* secondary, std::size_t n) const {
    join_float_quant(k, primary, secondary, n);
  }
  template <FloatLatent L>
  void split(const L* ordered, std::size_t n, L* primary, L* secondary) const {
    split_float_quant(k, ordered, n, primary, secondary);
  }
  template <FloatLatent L>
  L join_parameter() const {
    return static_cast<L>(k);
  }
  template <FloatLatent L>
  bool joins_in_registers(const L*, std::size_t) const {
    return true;
  }
};

// The bits of the float of a pair of latents. Written on bits, so that pairs out of range, which no
// encoder writes but decoders accept, result in what docs/format/pco.md ("Modes") specifies.
// Defines the result of the kernels.
template <FloatLatent L>
constexpr L float_quant_join(L primary, L secondary, unsigned k) {
  const L high = static_cast<L>(primary << k);
  const bool positive = primary >= static_cast<L>(kMid<L> >> k);
  const L low_mask = static_cast<L>((L{1} << k) - 1);
  return static_cast<L>(
      secondary ^ (positive ? static_cast<L>(high ^ kMid<L>) : static_cast<L>(~(high | low_mask))));
}

}  // namespace numpact::internal
