// SPDX-License-Identifier: Apache-2.0
// The list of delta encodings. A new one needs a struct as described in delta.hpp and a name here.
#ifndef NUMPACT_PCO_DELTA_DELTAS_HPP
#define NUMPACT_PCO_DELTA_DELTAS_HPP

#include <span>
#include <variant>

#include "base/family.hpp"
#include "pco/delta/consecutive.hpp"
#include "pco/delta/conv1.hpp"
#include "pco/delta/lookback.hpp"
#include "pco/delta/none.hpp"

namespace numpact {

using AnyDelta = std::variant<NoDelta, Consecutive, Lookback, Conv1>;
static_assert(family_tags_are_distinct<AnyDelta>());

inline std::size_t state_n(const AnyDelta& delta) {
  return std::visit([](const auto& member) { return member.state_n(); }, delta);
}
inline bool encodes_secondary(const AnyDelta& delta) {
  return std::visit([](const auto& member) { return member.encodes_secondary(); }, delta);
}

inline bool has_weights(const AnyDelta& delta) {
  return std::visit([](const auto& member) { return member.kHasWeights; }, delta);
}

// In place: turns n latents into centred deltas at the front and sets `state`, which has state_n()
// latents. lookbacks: of the latents after the state; only Lookback uses them.
template <Latent L>
void encode_delta(const AnyDelta& delta, const std::uint32_t* lookbacks, std::span<L> state,
                  L* latents, std::size_t n) {
  if (std::holds_alternative<Consecutive>(delta)) {
    encode_consecutive(state, latents, n);
  } else if (std::holds_alternative<Lookback>(delta)) {
    encode_lookback(lookbacks, state, latents, n);
  } else if (const auto* const conv = std::get_if<Conv1>(&delta)) {
    encode_conv1(*conv, state, latents, n);
  }
}

}  // namespace numpact

#endif
