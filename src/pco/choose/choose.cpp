// SPDX-License-Identifier: Apache-2.0
// Mode and delta are weighed together, on a sample: every mode that bids, each with its best delta.
#include <algorithm>
#include <cmath>
#include <optional>

#include "pco/choose/bids.hpp"
#include "pco/choose/choice.hpp"
#include "pco/choose/conv1_fit.hpp"
#include "pco/choose/lookback_search.hpp"
#include "pco/choose/lookback_trial.hpp"
#include "pco/choose/weigh.hpp"
#include "pco/choose/weigh_dict.hpp"
#include "pco/mode/split.hpp"

namespace numpact {
namespace {

// From which cost of corrections on, in bits a number, other bases are worth a look.
constexpr float kCostlySecondary = 0.2f;

// Below so many bits a number, rare numbers decide on the mode, of which a sample must hold enough.
constexpr float kRareBits = 0.5f;

// Up to so many numbers, other choices are tried in full, if they come this near by estimate.
constexpr std::size_t kFewNumbers = std::size_t{1} << 13;
constexpr float kCloseSecond = 1.1f;

// What a way that was bid for later must save: the first bid is the most natural one.
constexpr float kLaterToll = 0.003f;
// Dict takes a lookup for each number, in a table that may be large.
constexpr float kDictToll = 0.01f;

// Lookback decodes slowest. What estimates must be more for it to be tried.
constexpr float kFavoredLookback = 0.92f;

Candidates collect_candidates(NumberType type, const LatentArray& ordered, const Sample& sample,
                              const ModeSpec& spec, const ChooseEffort& effort, Arena& arena) {
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
      if (!effort.modes) break;
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

// The ways weighed so far, the best ones first.
class Ranking {
 public:
  static constexpr std::size_t kMost = Choices::kMost;

  explicit Ranking(ChoiceLog* log) : log_(log) {}

  void add(const Weighed& weighed) {
    if (log_ != nullptr) log_->weighed(weighed.mode, weighed.delta, weighed.bits);
    std::size_t at = size_ < kMost ? size_++ : kMost;
    while (at > 0 && weighed.bits < ways_[at - 1].bits) {
      if (at < kMost) ways_[at] = ways_[at - 1];
      --at;
    }
    if (at < kMost) ways_[at] = weighed;
  }
  const Weighed& first() const { return ways_[0]; }
  std::span<const Weighed> all() const { return {ways_.data(), size_}; }

 private:
  ChoiceLog* log_;
  std::array<Weighed, kMost> ways_;
  std::size_t size_ = 0;
};

class Chooser {
 public:
  Chooser(NumberType type, const LatentArray& ordered, std::size_t page_n,
          const EncodeConfig& config, Arena& arena, ChoiceLog* log)
      : type_(type),
        ordered_(ordered),
        page_n_(page_n),
        config_(config),
        effort_(ChooseEffort::of(config)),
        arena_(arena),
        log_(log) {}

  Choices choose() const {
    Sample sample = take_sample(ordered_, usual_sample_n(ordered_.n, effort_.max_sample_n), arena_);
    Ranking ranking = rank(sample);
    const std::size_t large = large_sample_n(ordered_.n, effort_.max_sample_n);
    if (kind_of(type_) == NumberKind::kFloat && effort_.modes && sample.latents.n < large &&
        ranking.first().bits < kRareBits) {
      sample = take_sample(ordered_, large, arena_);
      ranking = rank(sample);
    }
    return settle(sample, ranking);
  }

 private:
  bool is_auto_mode() const { return config_.mode.kind() == ModeSpec::Kind::kAuto; }
  bool is_auto_delta() const { return config_.delta.kind() == DeltaSpec::Kind::kAuto; }

  Ranking rank(const Sample& sample) const {
    Ranking ranking(log_);
    const Candidates candidates =
        collect_candidates(type_, ordered_, sample, config_.mode, effort_, arena_);
    Candidate divisible;
    float least_bits = HUGE_VALF;
    for (const Candidate& candidate : candidates) {
      Weighed weighed = weigh(candidate, sample);
      if (&candidate > candidates.begin() + 1) weighed.bits *= 1 + kLaterToll;
      ranking.add(weighed);
      if (candidate.denominator != 0 && weighed.secondary_bits > kCostlySecondary &&
          weighed.bits < least_bits) {
        least_bits = weighed.bits;
        divisible = candidate;
      }
    }
    if (effort_.divided_bases && divisible.denominator != 0) {
      Candidates divided;
      bid_float_mult_divided(type_, sample, divisible, divided);
      for (const Candidate& candidate : divided) {
        Weighed weighed = weigh(candidate, sample);
        weighed.bits *= 1 + kLaterToll;
        ranking.add(weighed);
      }
    }
    add_conv1(sample, ranking);
    add_dict(sample, ranking);
    return ranking;
  }

  Weighed weigh(const Candidate& candidate, const Sample& sample) const {
    return weigh_mode(candidate.mode, sample, config_.delta, effort_, arena_);
  }

  // For the best mode so far. Not for a small variable beside a large one.
  void add_conv1(const Sample& sample, Ranking& ranking) const {
    const Weighed best = ranking.first();
    if (!is_auto_delta() || effort_.max_conv1_order == 0) return;
    if (primary_bits(best.mode, type_) > 32) return;
    const ArenaScope scratch(arena_);
    const SplitLatents latents = split(best.mode, sample.latents, arena_);
    const float other_bits = best.secondary_bits;
    const std::optional<WeighedConv1> conv =
        weigh_conv1(sample, latents.primary, best.bits - other_bits, effort_, arena_);
    if (conv) ranking.add({best.mode, conv->conv, conv->bits + other_bits, other_bits});
  }

  void add_dict(const Sample& sample, Ranking& ranking) const {
    if (!effort_.dicts || !is_auto_mode() || !is_auto_delta()) return;
    auto weighed = weigh_dict(ordered_, sample, ranking.first().bits, effort_, arena_);
    if (!weighed) return;
    weighed->bits *= 1 + kDictToll;
    ranking.add(*weighed);
  }

  Choices settle(const Sample& sample, const Ranking& ranking) const {
    Choices choices;
    const Choice first = with_asked_delta(choice_of(ranking.first()));
    choices.plain = first;
    if (const auto lookback = find_lookback(sample, ranking)) {
      choices.add(*lookback);
      if (is_short()) choices.add(first);
    } else {
      choices.add(first);
    }
    for (const Weighed& next : ranking.all().subspan(1)) {
      if (!is_short() || choices.all().size() >= effort_.trials) break;
      if (next.bits > kCloseSecond * ranking.first().bits) break;
      choices.add(with_asked_delta(choice_of(next)));
    }
    return choices;
  }

  static Choice choice_of(const Weighed& weighed) {
    return {weighed.mode, weighed.delta, {}, weighed.bits};
  }
  bool is_short() const { return ordered_.n <= kFewNumbers; }

  // Where numbers repeat, a dictionary rarely helps: it comes last.
  std::optional<Choice> find_lookback(const Sample& sample, const Ranking& ranking) const {
    if (!is_auto_delta() || !effort_.lookback) return std::nullopt;
    const float share = effort_.favors_decoding ? kFavoredLookback : 1;
    const Trial trial{page_n_, share * ranking.first().bits, is_auto_mode()};
    const bool dict_is_first = std::holds_alternative<Dict>(ranking.first().mode);
    for (const bool dict : {false, true}) {
      if (dict && !dict_is_first) break;
      for (const Weighed& way : ranking.all()) {
        if (std::holds_alternative<Dict>(way.mode) != dict) continue;
        Choice choice = choice_of(way);
        if (try_lookback(sample, ordered_, trial, choice, arena_)) return choice;
        break;
      }
    }
    return std::nullopt;
  }

  // Deltas that are not weighed on the sample.
  Choice with_asked_delta(Choice choice) const {
    if (config_.delta.kind() == DeltaSpec::Kind::kLookback) choice.delta = lookback_for(page_n_);
    if (config_.delta.kind() == DeltaSpec::Kind::kConv1) {
      choice.delta = fit_conv1(choice.mode, ordered_, config_.delta.order(), arena_);
    }
    return choice;
  }

  NumberType type_;
  const LatentArray& ordered_;
  std::size_t page_n_;
  const EncodeConfig& config_;
  ChooseEffort effort_;
  Arena& arena_;
  ChoiceLog* log_;
};

}  // namespace

Choices choose(NumberType type, const LatentArray& ordered, std::size_t page_n,
               const EncodeConfig& config, Arena& arena, ChoiceLog* log) {
  return Chooser(type, ordered, page_n, config, arena, log).choose();
}

}  // namespace numpact
