// SPDX-License-Identifier: Apache-2.0
// The list of delta encodings. A new one needs a struct as described in delta.hpp and a name here.
#ifndef NUMPACT_PCO_DELTA_DELTAS_HPP
#define NUMPACT_PCO_DELTA_DELTAS_HPP

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

}  // namespace numpact

#endif
