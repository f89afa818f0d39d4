// SPDX-License-Identifier: Apache-2.0
// IntMult: x = primary * base + secondary, on ordered latents, with wrapping arithmetic.
#pragma once

#include "pco/mode/mode.hpp"

namespace numpact::internal {

// In place: replaces the primary latents by the bits of the numbers, which are of `kind`.
template <Latent L>
void join_int_mult(L base, NumberKind kind, L* primary, const L* secondary, std::size_t n);

template <Latent L>
void split_int_mult(L base, const L* ordered, std::size_t n, L* primary, L* secondary);

struct IntMult {
  friend bool operator==(const IntMult&, const IntMult&) = default;

  static constexpr Mode kTag = Mode::kIntMult;
  static constexpr const char* kForm = "int-mult=BASE";
  static constexpr ModeParameter kParameter = ModeParameter::kInteger;
  // In version 0, this mode had a different encoding, which was withdrawn.
  static constexpr FormatVersion kFirstVersion{1, 0};
  static constexpr bool kHasSecondary = true;
  static constexpr bool kSplitsBits = false;

  std::uint64_t base = 1;

  static Status check_request(const ModeSpec& spec, NumberType type);
  static IntMult requested(const ModeSpec& spec, NumberType) { return {spec.parameter()}; }

  static Status parse(BitReader& reader, const ModeContext& context, IntMult& out);
  void write(BitWriter& writer, NumberType type) const { writer.write(base, latent_bits(type)); }
  static constexpr unsigned parameter_bits(unsigned number_bits) { return number_bits; }
  std::uint64_t payload_bits(NumberType type, unsigned) const { return latent_bits(type); }

  template <Latent L>
  void join(NumberKind kind, L* primary, const L* secondary, std::size_t n) const {
    join_int_mult(static_cast<L>(base), kind, primary, secondary, n);
  }
  template <Latent L>
  void split(const L* ordered, std::size_t n, L* primary, L* secondary) const {
    split_int_mult(static_cast<L>(base), ordered, n, primary, secondary);
  }
};

}  // namespace numpact::internal
