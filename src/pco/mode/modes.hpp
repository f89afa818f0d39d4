// SPDX-License-Identifier: Apache-2.0
// The list of modes. A new one needs a struct as described in mode.hpp and a name here.
#pragma once

#include <variant>

#include "base/family.hpp"
#include "pco/mode/classic.hpp"
#include "pco/mode/dict.hpp"
#include "pco/mode/float_mult.hpp"
#include "pco/mode/float_quant.hpp"
#include "pco/mode/int_mult.hpp"

namespace numpact::internal {

using AnyMode = std::variant<Classic, IntMult, FloatMult, FloatQuant, Dict>;
static_assert(family_tags_are_distinct<AnyMode>());

// A mode with a secondary variable must split and join. Splitting and joining skip widths that a
// mode does not have, so a function with a wrong signature would otherwise be skipped in silence.
template <class Member>
constexpr bool splits_and_joins =
    !Member::kHasSecondary ||
    requires(const Member& mode, NumberKind kind, std::uint32_t* latents, std::size_t n) {
  mode.split(latents, n, latents, latents);
  mode.join(kind, latents, latents, n);
};
static_assert([] {
  bool all = true;
  for_each_member<AnyMode>(
      [&](auto member) { all = all && splits_and_joins<typename decltype(member)::type>; });
  return all;
}());

inline bool has_secondary(const AnyMode& mode) {
  return std::visit([](const auto& member) { return member.kHasSecondary; }, mode);
}

// Whether unpacking of the secondary variable can join in registers.
inline bool joins_in_registers(const AnyMode& mode) {
  return std::visit(
      [](const auto& member) {
        return requires { member.kJoin; };
      },
      mode);
}

inline bool splits_bits(const AnyMode& mode) {
  return std::visit([](const auto& member) { return member.kSplitsBits; }, mode);
}

// Bits of the mode's parameters in the metadata, for numbers of `number_bits` bits and without the
// entries of a dictionary.
inline unsigned parameter_bits(const AnyMode& mode, unsigned number_bits) {
  return std::visit([&](const auto& member) { return member.parameter_bits(number_bits); }, mode);
}

// Width of the primary latents in bits: 32 for dictionary indices, else the width of the numbers.
inline unsigned primary_bits(const AnyMode& mode, NumberType type) {
  return std::holds_alternative<Dict>(mode) ? 32 : latent_bits(type);
}

}  // namespace numpact::internal
