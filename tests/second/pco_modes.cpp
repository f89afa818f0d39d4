// SPDX-License-Identifier: Apache-2.0
// docs/format/pco.md, "Modes".
#include "second/pco_parts.hpp"

namespace numpact::second {
namespace {

std::uint64_t int_float(std::uint64_t latent, unsigned bits) {
  const std::uint64_t mid = mid_of(bits);
  const bool positive = latent >= mid;
  const std::uint64_t a = positive ? latent - mid : mid - 1 - latent;
  const std::uint64_t g = std::uint64_t{1} << (mantissa_bits(bits) + 1);
  const std::uint64_t magnitude =
      a < g ? float_of_whole(a, bits) : float_of_whole(g, bits) + (a - g);
  return positive ? magnitude : magnitude | mid;
}

std::uint64_t float_mult(std::uint64_t base, std::uint64_t l0, std::uint64_t l1, unsigned bits) {
  const std::uint64_t number = product_of_floats(int_float(l0, bits), base, bits);
  return (ordered_of_float(number, bits) + l1 + mid_of(bits)) & mask_of(bits);
}

// Returns the bits of the float.
std::uint64_t float_quant(unsigned k, std::uint64_t l0, std::uint64_t l1, unsigned bits) {
  const std::uint64_t mid = mid_of(bits);
  const std::uint64_t s = (l0 << k) & mask_of(bits);
  if (l0 >= mid >> k) return l1 ^ (s ^ mid);
  return (l1 ^ ~(s | mask_of(k))) & mask_of(bits);
}

}  // namespace

void check_mode(const ModeFields& mode, NumberKind kind, Version version) {
  switch (mode.mode) {
    case Mode::kIntMult:
      refuse_if(kind.is_float(), "IntMult on floats");
      refuse_if(version.major == 0, "IntMult in version 0");
      refuse_if(mode.base == 0, "IntMult with base 0");
      break;
    case Mode::kFloatMult: {
      refuse_if(!kind.is_float(), "FloatMult on integers");
      const std::uint64_t base = number_of_ordered(mode.base, kind);
      refuse_if(!is_finite(base, kind.bits), "FloatMult with a base that is not finite");
      refuse_if((base & (mid_of(kind.bits) - 1)) == 0, "FloatMult with base zero");
      break;
    }
    case Mode::kFloatQuant:
      refuse_if(!kind.is_float(), "FloatQuant on integers");
      refuse_if(mode.k == 0 || mode.k > mantissa_bits(kind.bits), "k of FloatQuant");
      break;
    default:
      break;
  }
}

Latents undo_mode(const ModeFields& mode, NumberKind kind, const Latents& primary,
                  const Latents& secondary) {
  Latents numbers;
  const std::uint64_t float_base =
      mode.mode == Mode::kFloatMult ? number_of_ordered(mode.base, kind) : 0;
  for (std::size_t i = 0; i < primary.size(); ++i) {
    const std::uint64_t l0 = primary[i];
    std::uint64_t ordered = l0;
    switch (mode.mode) {
      case Mode::kClassic:
        break;
      case Mode::kIntMult:
        ordered = (l0 * mode.base + secondary[i]) & mask_of(kind.bits);
        break;
      case Mode::kFloatMult:
        ordered = float_mult(float_base, l0, secondary[i], kind.bits);
        break;
      case Mode::kFloatQuant:
        numbers.push_back(float_quant(mode.k, l0, secondary[i], kind.bits));
        continue;
      default:
        refuse_if(l0 >= mode.dict.size(), "index past the dictionary");
        ordered = mode.dict[l0];
    }
    numbers.push_back(number_of_ordered(ordered, kind));
  }
  return numbers;
}

}  // namespace numpact::second
