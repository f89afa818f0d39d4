// SPDX-License-Identifier: Apache-2.0
#include "pco/choose/choice.hpp"
#include "pco/choose/lookback_search.hpp"
#include "pco/mode/split.hpp"

namespace numpact {

Choice choose(NumberType type, const LatentArray& ordered, const EncodeConfig& config,
              Arena& arena) {
  Choice choice;
  switch (config.mode.kind()) {
    case ModeSpec::Kind::kIntMult:
      choice.mode = IntMult{config.mode.int_base()};
      break;
    case ModeSpec::Kind::kFloatMult:
      choice.mode = FloatMult::of(config.mode.float_base(), type);
      break;
    case ModeSpec::Kind::kFloatQuant:
      choice.mode = FloatQuant{config.mode.quant_k()};
      break;
    case ModeSpec::Kind::kDict: {
      Dict dict;
      if (make_dict(ordered, ordered.n / 2 + 1, arena, dict)) choice.mode = dict;
      break;
    }
    case ModeSpec::Kind::kAuto:
    case ModeSpec::Kind::kClassic:
      break;
  }
  switch (config.delta.kind()) {
    case DeltaSpec::Kind::kConsecutive:
      if (config.delta.order() > 0) choice.delta = Consecutive{config.delta.order(), false};
      break;
    case DeltaSpec::Kind::kLookback:
      choice.delta = lookback_for(ordered.n);
      break;
    case DeltaSpec::Kind::kAuto:
    case DeltaSpec::Kind::kNone:
    case DeltaSpec::Kind::kConv1:
      break;
  }
  return choice;
}

}  // namespace numpact
