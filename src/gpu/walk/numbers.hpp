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

// The modes of a number, for the kPerLane numbers of a lane. The mode is the same for all lanes, so
// it is tested once. P: the type of primary latents, L or 32-bit dictionary indices.
//
// Dict. False if one of the first n indices is past the dictionary.
template <class L, class P, class Warp>
NUMPACT_HD bool join_dict(Warp& warp, const PlannedChunk& chunk, const PlanView& plan,
                          const P (&indices)[kPerLane], unsigned n, L (&ordered)[kPerLane]) {
  warp.count(Step::kDict);
  bool all_inside = true;
  for (unsigned k = 0; k < kPerLane; ++k) {
    const bool is_inside = indices[k] < chunk.entry_n;
    ordered[k] =
        is_inside ? static_cast<L>(load_constant(plan.entries + chunk.entries + indices[k])) : L{0};
    all_inside &= is_inside || k >= n;
  }
  return all_inside;
}

// The other modes; ordered latents, but for FloatQuant numbers.
template <class L, class Warp>
NUMPACT_HD void join_latents(Warp& warp, const PlannedChunk& chunk, const L (&primary)[kPerLane],
                             const L (&secondary)[kPerLane], L (&ordered)[kPerLane]) {
  switch (chunk.mode) {
    case Mode::kIntMult: {
      warp.count(Step::kIntMult);
      for (unsigned k = 0; k < kPerLane; ++k) {
        const L product = wrapping_mul(primary[k], static_cast<L>(chunk.parameter));
        ordered[k] = wrapping_add(product, secondary[k]);
      }
      return;
    }
    case Mode::kFloatMult: {
      warp.count(Step::kFloatMult);
      if constexpr (FloatLatent<L>) {
        const auto base = FloatTraits<L>::to_arithmetic(static_cast<L>(chunk.parameter));
        for (unsigned k = 0; k < kPerLane; ++k) {
          const L correction = wrapping_sub(secondary[k], kMid<L>);
          ordered[k] = wrapping_add(float_mult_product(primary[k], base), correction);
        }
      }
      return;
    }
    case Mode::kFloatQuant: {
      warp.count(Step::kFloatQuant);
      if constexpr (FloatLatent<L>) {
        const auto bits = static_cast<unsigned>(chunk.parameter);
        for (unsigned k = 0; k < kPerLane; ++k) {
          ordered[k] = float_quant_join(primary[k], secondary[k], bits);
        }
      }
      return;
    }
    default:
      for (unsigned k = 0; k < kPerLane; ++k) ordered[k] = primary[k];
  }
}

// The numbers of a lane from their latents. False if an index of one of the first n numbers is past
// the dictionary.
template <class L, class P, class Warp>
NUMPACT_HD bool join(Warp& warp, const PlannedChunk& chunk, const PlanView& plan,
                     const P (&primary)[kPerLane], const L (&secondary)[kPerLane], unsigned n,
                     L (&numbers)[kPerLane]) {
  bool all_inside = true;
  // Latents of 32 bits have the type of indices, too.
  bool is_dict = !std::is_same_v<L, P>;
  if constexpr (std::is_same_v<P, std::uint32_t>) is_dict |= chunk.mode == Mode::kDict;
  if (is_dict) all_inside = join_dict(warp, chunk, plan, primary, n, numbers);
  if constexpr (std::is_same_v<L, P>) {
    if (!is_dict) join_latents(warp, chunk, primary, secondary, numbers);
    if (chunk.mode == Mode::kFloatQuant) return true;
  }
  if (plan.kind == NumberKind::kSigned) {
    for (L& number : numbers) number = from_ordered(number, NumberKind::kSigned);
  } else if (plan.kind == NumberKind::kFloat) {
    warp.count(Step::kFloats);
    for (L& number : numbers) number = from_ordered(number, NumberKind::kFloat);
  }
  return all_inside;
}

}  // namespace numpact::gpu
