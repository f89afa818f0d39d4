// SPDX-License-Identifier: Apache-2.0
// Conversion of the latents of a number to its bits: docs/format/pco.md, "Modes".
#pragma once

#include "base/internal.hpp"
#include "gpu/walk/view.hpp"
#include "gpu/walk/words.hpp"
#include "number/float_traits.hpp"
#include "number/ordered.hpp"
#include "pco/mode/float_mult.hpp"
#include "pco/mode/float_quant.hpp"

namespace numpact::gpu {

// P: the type of primary latents, L or 32-bit dictionary indices. `is_inside` becomes false for an
// index past the dictionary.
template <class L, class P>
NUMPACT_HD L join(const PlannedChunk& chunk, const PlanView& plan, P primary, L secondary,
                  bool& is_inside) {
  if constexpr (!std::is_same_v<L, P> || std::is_same_v<P, std::uint32_t>) {
    if (chunk.mode == Mode::kDict) {
      is_inside = primary < chunk.entry_n;
      const std::uint64_t entry =
          is_inside ? load_constant(plan.entries + chunk.entries + primary) : 0;
      return from_ordered(static_cast<L>(entry), plan.kind);
    }
  }
  if constexpr (std::is_same_v<L, P>) {
    switch (chunk.mode) {
      case Mode::kIntMult: {
        const L product = wrapping_mul(primary, static_cast<L>(chunk.parameter));
        return from_ordered(wrapping_add(product, secondary), plan.kind);
      }
      // Both modes of floats are empty for other types. NOLINTNEXTLINE(bugprone-branch-clone)
      case Mode::kFloatMult:
        if constexpr (FloatLatent<L>) {
          const auto base = FloatTraits<L>::to_arithmetic(static_cast<L>(chunk.parameter));
          const L correction = wrapping_sub(secondary, kMid<L>);
          return from_ordered(wrapping_add(float_mult_product(primary, base), correction),
                              NumberKind::kFloat);
        }
        break;
      case Mode::kFloatQuant:
        if constexpr (FloatLatent<L>) {
          return float_quant_join(primary, secondary, static_cast<unsigned>(chunk.parameter));
        }
        break;
      default:
        break;
    }
    return from_ordered(primary, plan.kind);
  }
  return 0;
}

}  // namespace numpact::gpu
