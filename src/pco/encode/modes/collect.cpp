// SPDX-License-Identifier: Apache-2.0
// The list of the modes that are considered for a chunk.
#include "pco/encode/modes/propose.hpp"
#include "pco/mode/split.hpp"

namespace numpact {
namespace {

AnyMode requested_dict(const LatentArray& ordered, Arena& arena) {
  Dict dict;
  const bool found = make_dict(ordered, ordered.n / 2 + 1, arena, dict);
  return found ? AnyMode(dict) : AnyMode(Classic{});
}

void propose_all(NumberType type, const Sample& sample, Candidates& candidates, Arena& arena) {
  if (kind_of(type) == NumberKind::kFloat) {
    propose_float_quant(type, sample, candidates);
    propose_float_mult(type, sample, candidates, arena);
  } else {
    propose_int_mult(sample, candidates);
  }
}

}  // namespace

Candidates collect_candidates(NumberType type, const LatentArray& ordered, const Sample& sample,
                              const ModeSpec& spec, bool all_modes, Arena& arena) {
  Candidates candidates;
  switch (spec.kind()) {
    case ModeSpec::Kind::kClassic:
      candidates.add(Classic{});
      break;
    case ModeSpec::Kind::kIntMult:
      candidates.add(IntMult{spec.int_base()});
      break;
    case ModeSpec::Kind::kFloatMult:
      candidates.add(FloatMult::of(spec.float_base(), type));
      break;
    case ModeSpec::Kind::kFloatQuant:
      candidates.add(FloatQuant{spec.quant_k()});
      break;
    case ModeSpec::Kind::kDict:
      candidates.add(requested_dict(ordered, arena));
      break;
    case ModeSpec::Kind::kAuto:
      candidates.add(Classic{});
      if (all_modes) propose_all(type, sample, candidates, arena);
      break;
  }
  return candidates;
}

}  // namespace numpact
