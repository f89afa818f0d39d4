// SPDX-License-Identifier: Apache-2.0
// The list of the modes that are considered for a chunk.
#include <type_traits>

#include "pco/encode/modes/propose.hpp"
#include "pco/mode/split.hpp"

namespace numpact::internal {
namespace {

AnyMode requested_dict(const LatentArray& ordered, Arena& arena) {
  Dict dict;
  const bool found = make_dict(ordered, ordered.n / 2 + 1, arena, dict);
  return found ? AnyMode(dict) : AnyMode(Classic{});
}

void propose_all(NumberType type, const LatentArray& ordered, const Sample& sample,
                 Candidates& candidates, Arena& arena) {
  if (kind_of(type) == NumberKind::kFloat) {
    propose_float_quant(type, sample, candidates);
    propose_float_mult(type, sample, candidates, arena);
    propose_float_mult_substitutes(type, sample, candidates);
    propose_few_remainders(type, ordered, candidates, arena);
  } else {
    propose_int_mult(sample, candidates);
    propose_clock_step(ordered, candidates);
  }
}

}  // namespace

Candidates collect_candidates(NumberType type, const LatentArray& ordered, const Sample& sample,
                              const ModeSpec& spec, bool all_modes, Arena& arena) {
  Candidates candidates;
  if (!spec.mode()) {
    candidates.add(Classic{});
    if (all_modes) propose_all(type, ordered, sample, candidates, arena);
    return candidates;
  }
  visit_member<AnyMode>(*spec.mode(), [&](auto member) {
    using Member = typename decltype(member)::type;
    if constexpr (std::is_same_v<Member, Dict>) {
      candidates.add(requested_dict(ordered, arena));
    } else {
      candidates.add(Member::requested(spec, type));
    }
  });
  propose_float_mult_substitutes(type, sample, candidates);
  return candidates;
}

}  // namespace numpact::internal
