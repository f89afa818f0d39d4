// SPDX-License-Identifier: Apache-2.0
// The work of the last stages of decoding, deltas and modes, that unpacking does for them. This is
// the one place where the stages know each other: a pass over a batch in registers costs a fraction
// of one over memory (docs/decisions.md, 8).
#pragma once

#include <cstdint>

namespace numpact::internal {

// Operations that unpacking may apply to latents while they are in registers.
enum class FinishKind : std::uint8_t {
  kStore,     // none
  kSum,       // out[i] = moment + sum of latents [0, i); the moment becomes the sum of all
  kFloat,     // from_ordered() of floats
  kSumFloat,  // kSum, then kFloat
  // The latents are secondary ones, and are joined with the primary ones:
  kFloatMult,
  kFloatQuant,
};
constexpr bool sums(FinishKind kind) {
  return kind == FinishKind::kSum || kind == FinishKind::kSumFloat;
}
constexpr bool makes_floats(FinishKind kind) {
  return kind == FinishKind::kFloat || kind == FinishKind::kSumFloat;
}

constexpr bool joins(FinishKind kind) {
  return kind == FinishKind::kFloatMult || kind == FinishKind::kFloatQuant;
}

}  // namespace numpact::internal
