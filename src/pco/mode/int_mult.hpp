// SPDX-License-Identifier: Apache-2.0
// IntMult: x = primary * base + secondary, on ordered latents, with wrapping arithmetic.
#ifndef NUMPACT_PCO_MODE_INT_MULT_HPP
#define NUMPACT_PCO_MODE_INT_MULT_HPP

#include "pco/mode/mode.hpp"

namespace numpact {

struct IntMult {
  static constexpr unsigned kTag = 1;
  static constexpr bool kHasSecondary = true;
  static constexpr bool kSplitsBits = false;

  std::uint64_t base = 1;

  static Status parse(BitReader& reader, const ModeContext& context, IntMult& out);
  void write(BitWriter& writer, NumberType type) const { writer.write(base, latent_bits(type)); }
  static constexpr unsigned parameter_bits(unsigned number_bits) { return number_bits; }
  std::uint64_t payload_bits(NumberType type, unsigned) const { return latent_bits(type); }
};

// In place: replaces the primary latents by the bits of the numbers, which are of `kind`.
template <Latent L>
void join_int_mult(L base, NumberKind kind, L* primary, const L* secondary, std::size_t n);

template <Latent L>
void split_int_mult(L base, const L* ordered, std::size_t n, L* primary, L* secondary);

}  // namespace numpact

#endif
