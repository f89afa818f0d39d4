// SPDX-License-Identifier: Apache-2.0
// Mode and delta are weighed together, on a sample: every mode that bids, each with its best delta.
#include <cmath>

#include "pco/choose/bids.hpp"
#include "pco/choose/choice.hpp"
#include "pco/choose/conv1_fit.hpp"
#include "pco/choose/lookback_search.hpp"
#include "pco/choose/lookback_trial.hpp"
#include "pco/choose/weigh.hpp"
#include "pco/mode/split.hpp"

namespace numpact {
namespace {

// A second latent variable costs time to decode: it must save this many bits a number.
constexpr float kSecondaryToll = 0.02f;

// From which cost of corrections on, in bits a number, other bases are worth a look.
constexpr float kCostlySecondary = 0.3f;

struct Weighed {
  Choice choice;
  float bits = 0;            // for each number
  float secondary_bits = 0;  // of them
};

AnyDelta consecutive(unsigned order) {
  if (order == 0) return NoDelta{};
  return Consecutive{order, false};
}

// The mode under the delta that was asked for, or its best one.
Weighed weigh(const AnyMode& mode, const Sample& sample, const DeltaSpec& delta, Arena& arena) {
  const ArenaScope scratch(arena);
  const SplitLatents latents = split(mode, sample.latents, arena);
  Weighed weighed{{mode, NoDelta{}, {}}, 0, 0};
  if (delta.kind() == DeltaSpec::Kind::kAuto) {
    const WeighedDelta picked = pick_order(sample, latents.primary, arena);
    weighed.choice.delta = consecutive(picked.order);
    weighed.bits = picked.bits;
  } else {
    // Deltas that cannot be weighed on a sample say nothing about the mode.
    const unsigned order = delta.kind() == DeltaSpec::Kind::kConsecutive ? delta.order() : 0;
    weighed.choice.delta = consecutive(order);
    weighed.bits = weigh_consecutive(sample, latents.primary, order, arena);
  }
  if (latents.secondary.exists()) {
    weighed.secondary_bits = weigh_consecutive(sample, latents.secondary, 0, arena);
    weighed.bits += kSecondaryToll + weighed.secondary_bits;
  }
  return weighed;
}

Candidates collect_candidates(NumberType type, const LatentArray& ordered, const Sample& sample,
                              const ModeSpec& spec, Arena& arena) {
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
    case ModeSpec::Kind::kDict: {
      Dict dict;
      const bool found = make_dict(ordered, ordered.n / 2 + 1, arena, dict);
      candidates.add(found ? AnyMode(dict) : AnyMode(Classic{}));
      break;
    }
    case ModeSpec::Kind::kAuto:
      candidates.add(Classic{});
      if (kind_of(type) == NumberKind::kFloat) {
        bid_float_quant(type, sample, candidates);
        bid_float_mult(type, sample, candidates);
      } else {
        bid_int_mult(sample, candidates);
      }
      break;
  }
  return candidates;
}

Weighed pick_best(const Candidates& candidates, const Sample& sample, const DeltaSpec& delta,
                  Arena& arena) {
  Weighed best;
  best.bits = HUGE_VALF;
  for (const AnyMode& mode : candidates) {
    const Weighed weighed = weigh(mode, sample, delta, arena);
    if (weighed.bits < best.bits) best = weighed;
  }
  return best;
}

}  // namespace

Choice choose(NumberType type, const LatentArray& ordered, std::size_t page_n,
              const EncodeConfig& config, Arena& arena) {
  const Sample sample = take_sample(ordered, arena);
  const Candidates candidates = collect_candidates(type, ordered, sample, config.mode, arena);
  Weighed best = pick_best(candidates, sample, config.delta, arena);
  const auto* mult = std::get_if<FloatMult>(&best.choice.mode);
  if (config.mode.kind() == ModeSpec::Kind::kAuto && mult != nullptr &&
      best.secondary_bits > kCostlySecondary) {
    Candidates divided;
    bid_float_mult_divided(type, *mult, divided);
    const Weighed other = pick_best(divided, sample, config.delta, arena);
    if (other.bits < best.bits) best = other;
  }
  if (config.delta.kind() == DeltaSpec::Kind::kLookback) {
    best.choice.delta = lookback_for(page_n);
  } else if (config.delta.kind() == DeltaSpec::Kind::kConv1) {
    best.choice.delta = fit_conv1(best.choice.mode, ordered, config.delta.order(), arena);
  } else if (config.delta.kind() == DeltaSpec::Kind::kAuto) {
    const bool may_change_mode = config.mode.kind() == ModeSpec::Kind::kAuto;
    try_lookback(sample, ordered, page_n, best.bits, may_change_mode, best.choice, arena);
  }
  return best.choice;
}

}  // namespace numpact
