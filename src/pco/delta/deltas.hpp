// SPDX-License-Identifier: Apache-2.0
// The list of delta encodings. A new one needs a struct as described in delta.hpp and a name here.
#pragma once

#include <algorithm>
#include <span>
#include <variant>

#include "base/family.hpp"
#include "pco/delta/consecutive.hpp"
#include "pco/delta/conv1.hpp"
#include "pco/delta/lookback.hpp"
#include "pco/delta/none.hpp"

namespace numpact::internal {

using AnyDelta = std::variant<NoDelta, Consecutive, Lookback, Conv1>;
static_assert(family_tags_are_distinct<AnyDelta>());

// The decoding state of a variable, by delta encoding.
template <Latent L>
using AnyDeltaState =
    std::variant<NoDelta::State<L>, Consecutive::State<L>, Lookback::State<L>, Conv1::State<L>>;

// A delta encoding with a state must begin a page with it, and write it if decoding can restart.
template <class Member>
constexpr bool keeps_its_state =
    Member::kMaxStateN == 0 ||
    (requires(typename Member::template State<std::uint32_t> state, const Member& delta,
              Arena& arena,
              std::span<std::uint32_t> latents) { state.start(delta, arena, 0, latents, 0); } &&
     (!Member::kCanRestart || requires(const typename Member::template State<std::uint32_t>& state,
                                       BitWriter& writer) { state.write(writer, 0); }));
static_assert([] {
  bool all = true;
  for_each_member<AnyDelta>(
      [&](auto member) { all = all && keeps_its_state<typename decltype(member)::type>; });
  return all;
}());

// Whether decoding can restart within a page.
inline bool can_restart(const AnyDelta& delta) {
  return std::visit([](const auto& member) { return member.kCanRestart; }, delta);
}
// Largest state of a variable from which it can.
inline constexpr std::size_t kMaxRestartStateN = [] {
  std::size_t max_n = 0;
  for_each_member<AnyDelta>([&](auto member) {
    using Member = typename decltype(member)::type;
    if (Member::kCanRestart) max_n = std::max(max_n, Member::kMaxStateN);
  });
  return max_n;
}();

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

}  // namespace numpact::internal
