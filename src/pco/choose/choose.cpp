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

// Below so many bits a number, rare numbers decide on the mode, of which a sample must hold enough.
constexpr float kRareBits = 0.5f;

// Up to so many numbers, other choices are tried in full, if they come this near by estimate.
constexpr std::size_t kFewNumbers = std::size_t{1} << 13;
constexpr float kCloseSecond = 1.1f;

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
  weighed.choice.bits = weighed.bits;
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

// The best, and the next best.
struct Ranking {
  Weighed first;
  Weighed second;

  Ranking() {
    first.bits = HUGE_VALF;
    second.bits = HUGE_VALF;
  }
  void add(const Weighed& weighed) {
    if (weighed.bits < first.bits) {
      second = first;
      first = weighed;
    } else if (weighed.bits < second.bits) {
      second = weighed;
    }
  }
  void add_all(const Candidates& candidates, const Sample& sample, const DeltaSpec& delta,
               Arena& arena, ChoiceLog* log) {
    for (const AnyMode& mode : candidates) {
      const Weighed weighed = weigh(mode, sample, delta, arena);
      if (log != nullptr) log->weighed(mode, weighed.choice.delta, weighed.bits);
      add(weighed);
    }
  }
};

Ranking rank_modes(NumberType type, const LatentArray& ordered, const Sample& sample,
                   const EncodeConfig& config, Arena& arena, ChoiceLog* log) {
  Ranking ranking;
  ranking.add_all(collect_candidates(type, ordered, sample, config.mode, arena), sample,
                  config.delta, arena, log);
  const auto* mult = std::get_if<FloatMult>(&ranking.first.choice.mode);
  if (config.mode.kind() == ModeSpec::Kind::kAuto && mult != nullptr &&
      ranking.first.secondary_bits > kCostlySecondary) {
    Candidates divided;
    bid_float_mult_divided(type, *mult, divided);
    ranking.add_all(divided, sample, config.delta, arena, log);
  }
  return ranking;
}

// Deltas that are not weighed on the sample.
void set_asked_delta(const DeltaSpec& delta, const LatentArray& ordered, std::size_t page_n,
                     Choice& choice, Arena& arena) {
  if (delta.kind() == DeltaSpec::Kind::kLookback) choice.delta = lookback_for(page_n);
  if (delta.kind() == DeltaSpec::Kind::kConv1) {
    choice.delta = fit_conv1(choice.mode, ordered, delta.order(), arena);
  }
}

}  // namespace

Choices choose(NumberType type, const LatentArray& ordered, std::size_t page_n,
               const EncodeConfig& config, Arena& arena, ChoiceLog* log) {
  Sample sample = take_sample(ordered, usual_sample_n(ordered.n), arena);
  Ranking ranking = rank_modes(type, ordered, sample, config, arena, log);
  const bool is_float = kind_of(type) == NumberKind::kFloat;
  if (is_float && ranking.first.bits < kRareBits && sample.latents.n < large_sample_n(ordered.n)) {
    sample = take_sample(ordered, large_sample_n(ordered.n), arena);
    ranking = rank_modes(type, ordered, sample, config, arena, log);
  }
  const bool try_more = ordered.n <= kFewNumbers;
  Choices choices;
  Choice best = ranking.first.choice;
  if (config.delta.kind() == DeltaSpec::Kind::kAuto) {
    const bool may_change_mode = config.mode.kind() == ModeSpec::Kind::kAuto;
    const Trial trial{page_n, ranking.first.bits, may_change_mode};
    const bool looks_back = try_lookback(sample, ordered, trial, best, arena);
    choices.add(best);
    if (looks_back && try_more) choices.add(ranking.first.choice);
  } else {
    set_asked_delta(config.delta, ordered, page_n, best, arena);
    choices.add(best);
  }
  if (try_more && ranking.second.bits < kCloseSecond * ranking.first.bits) {
    Choice second = ranking.second.choice;
    set_asked_delta(config.delta, ordered, page_n, second, arena);
    choices.add(second);
  }
  return choices;
}

}  // namespace numpact
