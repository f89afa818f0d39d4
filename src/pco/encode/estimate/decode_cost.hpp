// SPDX-License-Identifier: Apache-2.0
// What it takes to decode a number, beyond one bin without a delta. Choices minimize
// bits + decode_weight() * decode_ns.
#pragma once

#include <variant>

#include "pco/delta/deltas.hpp"
#include "pco/mode/modes.hpp"

namespace numpact::internal {

// In nanoseconds: 2^18 numbers of 32 and 64 bits, one thread of a Zen 3, AVX2. Others differ by the
// factor of their clock, and little in proportion.
inline constexpr float kCodesNs = 0.6f;      // of a variable of more than one bin
inline constexpr float kSecondaryNs = 0.7f;  // a second variable, and joining both
inline constexpr float kDictNs = 0.5f;
inline constexpr float kOrderNs = 0.2f;     // each order of Consecutive, for each variable
inline constexpr float kLookbackNs = 1.1f;  // with its variable, of one bin
inline constexpr float kConv1Ns = 1.9f;
inline constexpr float kLagNs = 0.07f;  // each weight of Conv1

inline float mode_ns(const AnyMode& mode) {
  return (has_secondary(mode) ? kSecondaryNs : 0) +
         (std::holds_alternative<Dict>(mode) ? kDictNs : 0);
}

// For one variable.
inline float delta_ns(const AnyDelta& delta) {
  if (const auto* consecutive = std::get_if<Consecutive>(&delta)) {
    return kOrderNs * static_cast<float>(consecutive->order);
  }
  if (const auto* conv = std::get_if<Conv1>(&delta)) {
    return kConv1Ns + kLagNs * static_cast<float>(conv->order);
  }
  return std::holds_alternative<Lookback>(delta) ? kLookbackNs : 0;
}

}  // namespace numpact::internal
