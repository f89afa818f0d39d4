// SPDX-License-Identifier: Apache-2.0
// Mode and delta are weighed together, on a sample: every mode that bids, each with its best delta.
#include <algorithm>
#include <cmath>
#include <optional>

#include "pco/encode/choice.hpp"
#include "pco/encode/conv1/fit.hpp"
#include "pco/encode/estimate/binned.hpp"
#include "pco/encode/lookback/detect/repeats.hpp"
#include "pco/encode/lookback/evaluate.hpp"
#include "pco/encode/lookback/optimize/search.hpp"
#include "pco/encode/modes/allowed.hpp"
#include "pco/encode/modes/dict.hpp"
#include "pco/encode/modes/propose.hpp"
#include "pco/limits.hpp"
#include "pco/mode/split.hpp"

namespace numpact {
namespace {

// From which cost of corrections on, in bits a number, other bases are worth a look.
constexpr float kCostlySecondary = 0.2f;

// Below so many bits a number, rare numbers decide on the mode, of which a sample must hold enough.
constexpr float kRareBits = 0.75f;

// Below so many no sample tells how the rare ones go on; but of so few bits in all there is nothing
// to save.
constexpr float kRarestBits = 0.05f;
constexpr float kFewRareBits = 2048;

// Up to so many numbers, and of any at the highest levels, other choices are tried in full, if they
// come this near by estimate.
constexpr std::size_t kFewNumbers = std::size_t{1} << 13;
constexpr float kCloseSecond = 1.005f;
constexpr float kCloseSecondForSize = 1.015f;
// Of all numbers estimates are wrong by so many bits as well: by that much of a page's states and
// of what is filled up to whole bytes.
constexpr float kCloseSecondBits = 16;
// What looks back is not tried beside the others if it takes less than this share of them.
constexpr float kFarBelow = 0.93f;
// What is so near to the best of a run may be the best of a part.
constexpr float kNearInRun = 1.1f;

// Latents that the first, rough look is at. Bases that are parts of each other take twice as many.
constexpr std::size_t kFewN = 256;

// Of so few numbers all orders take little time at the lower levels, too.
constexpr std::size_t kShortN = std::size_t{1} << 11;

// What a way that was bid for later must save: the first bid is the most natural one.
constexpr float kLaterToll = 0.003f;
// The finest bases split what has none into two variables, of which estimates say less.
constexpr float kFinestToll = 0.02f;
// Rough costs of bases that are parts of each other are wrong alike.
constexpr float kDividedShare = 1.03f;

// How much more a mode may take with consecutive deltas that may be the best one with Conv1.
constexpr float kNearConv1 = 1.08f;

// Weights take some hundred bits. Of so few in all they save nothing.
constexpr float kFewConv1Bits = 4096;

// A secondary variable of FloatQuant that takes more is half of the numbers.
constexpr float kHalvedBits = 1;
// One of any mode that takes more is no mere corrections.
constexpr float kMostCorrectionBits = 2;
// What halves must save, as estimates of both have errors.
constexpr float kHalvedToll = 0.02f;

// Of fewer numbers a second search for lookbacks takes longer than it saves.
constexpr std::size_t kManyNumbers = std::size_t{1} << 15;

// After a search that was lost another one must be promised this share.
constexpr float kPromiseAfterLoss = 0.1f;

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
        bid_float_mult(type, sample, candidates, arena);
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

  Ranking(const FormatVersion& version, ChoiceLog* log) : version_(version), log_(log) {}

  // Dropped if the version does not know it.
  void add(const Weighed& weighed) {
    if (!is_allowed(weighed.mode, version_) || !is_allowed(weighed.delta, version_)) return;
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
  FormatVersion version_;
  ChoiceLog* log_;
  std::array<Weighed, kMost> ways_;
  std::size_t size_ = 0;
};

ChooseHints hints_of(const Ranking& ranking) {
  ChooseHints hints;
  for (const Weighed& way : ranking.all()) {
    if (way.bits > kNearInRun * ranking.first().bits) break;
    hints.dict = hints.dict || std::holds_alternative<Dict>(way.mode);
    hints.conv1 = hints.conv1 || std::holds_alternative<Conv1>(way.delta);
  }
  return hints;
}

class Chooser {
 public:
  Chooser(NumberType type, const LatentArray& ordered, std::size_t page_n,
          const EncodeConfig& config, Arena& arena, const ChooseHints* hints, ChoiceLog* log)
      : type_(type),
        ordered_(ordered),
        page_n_(page_n),
        config_(config),
        effort_(ChooseEffort::of(config)),
        arena_(arena),
        hints_(hints),
        log_(log),
        version_(FormatVersion::of(config.compatibility)) {
    effort_.secondary_deltas &= version_.has_delta_variants();
    effort_.lookback &= is_allowed(Lookback{}, version_);
    if (hints != nullptr) effort_.modes &= hints->bases;
    const bool is_short = ordered.n <= kShortN && effort_.modes && !effort_.favors_decoding;
    if (is_short) effort_.max_order = kMaxConsecutiveOrder;
  }

  Choices choose_plain() const {
    if (hints_ != nullptr) {
      const Sample part = take_sample(ordered_, hinted_sample_n(ordered_.n), arena_);
      return settle(part, rank(part));
    }
    Sample sample = take_sample(ordered_, usual_sample_n(ordered_.n, effort_.max_sample_n), arena_);
    Ranking ranking = rank(sample);
    const std::size_t large = large_sample_n(ordered_.n, effort_.max_sample_n);
    if (effort_.modes && sample.latents.n < large && ranking.first().bits < kRareBits) {
      sample = take_sample(ordered_, large, arena_);
      ranking = rank(sample);
    }
    return settle(sample, ranking);
  }

  LookbackVerdict add_lookback(float bits, Choices& choices) const {
    Choice lookback;
    const LookbackVerdict verdict = find_lookback(bits, choices, lookback);
    if (verdict != LookbackVerdict::kTaken) return verdict;
    const Choice& plain = choices.all()[0];
    const float share = effort_.checks_classic ? 0 : tries_more() ? kFarBelow : effort_.misled;
    choices.add_first(lookback, tries_more() ? effort_.trials : 1, share * plain.bits);
    return verdict;
  }

 private:
  bool is_auto_mode() const { return config_.mode.kind() == ModeSpec::Kind::kAuto; }
  bool is_auto_delta() const { return config_.delta.kind() == DeltaSpec::Kind::kAuto; }

  // Modes that the version does not know must not keep others out.
  Candidates allowed(const Candidates& candidates) const {
    Candidates known;
    for (const Candidate& candidate : candidates) {
      if (is_allowed(candidate.mode, version_)) known.add(candidate);
    }
    return known;
  }

  Ranking rank(const Sample& sample) const {
    Ranking ranking(version_, log_);
    const std::size_t few_n = ordered_.n <= kFewNumbers ? kFewN / 2 : kFewN;
    const Sample few = take_few(sample, few_n, arena_);
    const Candidates candidates =
        collect_candidates(type_, ordered_, sample, config_.mode, effort_, arena_);
    const FirstLook look = rank_candidates(allowed(candidates), sample, few, ranking);
    if (effort_.divided_bases && look.divisible.denominator != 0) {
      rank_divided(look, sample, take_few(sample, 2 * few_n, arena_), ranking);
    }
    if (hints_ == nullptr || hints_->conv1) add_conv1(sample, ranking);
    if (hints_ == nullptr || hints_->dict) add_dict(sample, ranking);
    return ranking;
  }

  struct FirstLook {
    // The best FloatMult with a costly secondary variable, if any.
    Candidate divisible;
    float divisible_bits = 0;
  };

  // Weighs those that a rough look leaves.
  FirstLook rank_candidates(const Candidates& candidates, const Sample& sample, const Sample& few,
                            Ranking& ranking) const {
    std::array<RoughCost, Candidates::kMost> costs;
    std::array<std::size_t, Candidates::kMost> order;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      costs[i] = rough_cost(candidates.begin()[i].mode, few, arena_);
      order[i] = i;
    }
    std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(candidates.size()),
              [&](std::size_t a, std::size_t b) {
                return costs[a].bits() != costs[b].bits() ? costs[a].bits() < costs[b].bits()
                                                          : a < b;
              });
    // Bits that some numbers have no use for save what a rough look knows. Bases save more.
    float least_rough = HUGE_VALF;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (std::holds_alternative<FloatQuant>(candidates.begin()[i].mode)) continue;
      least_rough = std::min(least_rough, costs[i].bits());
    }
    const float n = static_cast<float>(ordered_.n);
    FirstLook look;
    float least = HUGE_VALF;
    std::size_t weighed_n = 0;
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      const std::size_t i = order[k];
      const Candidate& candidate = candidates.begin()[i];
      // What repeats in a long chunk looks unique in a few: Classic may be better than it looks,
      // without a delta. FloatQuant that suits most is safe, though a base may look better; of one
      // that suits few the rough look must tell.
      const bool is_classic = std::holds_alternative<Classic>(candidate.mode);
      const bool is_quant = std::holds_alternative<FloatQuant>(candidate.mode);
      const bool is_likely = is_quant && !candidate.suits_few;
      const bool is_safe = is_likely || (is_classic && sample.scale > 1);
      const bool is_out =
          weighed_n >= effort_.max_weighed || !is_near(costs[i].bits(), least_rough, n);
      if (is_out && !is_safe) continue;
      const bool is_plain = is_out && is_classic && is_auto_delta();
      const DeltaSpec delta = is_plain ? DeltaSpec::none() : config_.delta;
      const Weighed weighed = weigh(candidate.mode, sample, costs[i], delta, toll(candidate, i));
      // It takes no base's place.
      weighed_n += is_quant ? 0 : 1;
      ranking.add(weighed);
      if (candidate.denominator != 0 && weighed.secondary_bits > kCostlySecondary &&
          weighed.bits < least) {
        least = weighed.bits;
        look.divisible = candidate;
        look.divisible_bits = costs[i].bits();
      }
    }
    return look;
  }

  static float toll(const Candidate& candidate, std::size_t index) {
    return candidate.is_finest ? kFinestToll : index > 1 ? kLaterToll : 0;
  }

  void rank_divided(const FirstLook& look, const Sample& sample, const Sample& few,
                    Ranking& ranking) const {
    Candidates divided;
    bid_float_mult_divided(type_, sample, look.divisible, divided);
    std::array<RoughCost, Candidates::kMost> costs;
    float least = look.divisible_bits;
    for (std::size_t i = 0; i < divided.size(); ++i) {
      costs[i] = rough_cost(divided.begin()[i].mode, few, arena_);
      least = std::min(least, costs[i].bits());
    }
    const float most = kDividedShare * least + unseen_bits(static_cast<float>(ordered_.n));
    for (std::size_t i = 0; i < divided.size(); ++i) {
      if (costs[i].bits() > most) continue;
      ranking.add(weigh(divided.begin()[i].mode, sample, costs[i], config_.delta, kLaterToll));
    }
  }

  Weighed weigh(const AnyMode& mode, const Sample& sample, const RoughCost& rough,
                const DeltaSpec& delta, float toll) const {
    Weighed weighed = weigh_mode(mode, sample, rough, delta, effort_, arena_);
    if (is_halved(weighed)) toll = std::max(toll, kHalvedToll);
    weighed.bits *= 1 + toll;
    weighed.toll = toll;
    return weighed;
  }

  // For the best mode so far. Floats may be foreseen by their whole multiples of a base better than
  // by their bits, or the other way round: so for the best base, too, where Classic is best, and
  // for Classic where a base needs many corrections.
  void add_conv1(const Sample& sample, Ranking& ranking) const {
    if (!is_auto_delta() || effort_.max_conv1_order == 0) return;
    const Weighed best = ranking.first();
    std::optional<Weighed> second;
    if (std::holds_alternative<Classic>(best.mode)) {
      for (const Weighed& way : ranking.all()) {
        if (!std::holds_alternative<FloatMult>(way.mode)) continue;
        if (way.bits <= kNearConv1 * best.bits) second = way;
        break;
      }
    } else if (std::holds_alternative<FloatMult>(best.mode) &&
               best.secondary_bits > kCostlySecondary && is_auto_mode()) {
      second = Weighed{Classic{}, NoDelta{}, best.bits, 0};
    }
    add_conv1(sample, best, ranking);
    if (second) add_conv1(sample, *second, ranking);
  }

  // Not for a small variable beside a large one.
  void add_conv1(const Sample& sample, const Weighed& way, Ranking& ranking) const {
    if (primary_bits(way.mode, type_) > 32) return;
    if (way.bits * static_cast<float>(ordered_.n) < kFewConv1Bits) return;
    const ArenaScope scratch(arena_);
    const SplitLatents latents = split(way.mode, sample.latents, arena_);
    const float other_bits = way.secondary_bits;
    const float to_beat = way.bits / (1 + way.toll) - other_bits;
    const std::optional<WeighedConv1> conv =
        weigh_conv1(sample, latents.primary, to_beat, effort_, arena_);
    if (!conv) return;
    const float bits = (conv->bits + other_bits) * (1 + way.toll);
    ranking.add({way.mode, conv->conv, bits, other_bits, way.toll});
  }

  void add_dict(const Sample& sample, Ranking& ranking) const {
    if (!effort_.dicts || !is_auto_mode() || !is_auto_delta()) return;
    auto weighed = weigh_dict(ordered_, sample, ranking.first(), effort_, arena_);
    if (!weighed) return;
    weighed->bits *= 1 + effort_.dict_toll;
    ranking.add(*weighed);
  }

  Choices settle(const Sample& sample, const Ranking& ranking) const {
    Choices choices;
    const Weighed& first = ranking.first();
    choices.sample = sample;
    choices.hints = hints_of(ranking);
    if (is_auto_delta() && effort_.lookback) choices.repeats = unknown_repeats(arena_);
    for (const Weighed& way : ranking.all()) choices.ways[choices.way_n++] = way;
    choices.add(with_asked_delta(choice_of(first, 0)));
    add_other_order(first, choices);
    const float close = close_share(first);
    if (tries_more() && hints_ == nullptr) add_next_order(first, close, choices);
    // They take no other mode's place.
    const std::size_t most = effort_.trials + choices.all().size() - 1;
    for (const Weighed& next : ranking.all().subspan(1)) {
      const bool is_close = next.bits <= close * first.bits;
      if (choices.all().size() >= most || (tries_more() && !is_close)) break;
      if (hints_ != nullptr && !tries_more()) break;
      const float margin = tries_more() ? 1 / close : effort_.misled;
      choices.add(with_asked_delta(choice_of(next, margin * next.bits)));
    }
    if (effort_.checks_classic && is_auto_mode() && is_auto_delta() && sample.scale > 1) {
      choices.add(Choice{});
    }
    return choices;
  }

  // What happens so rarely that no sample tells how it goes on: by single steps, or by turns.
  void add_other_order(const Weighed& first, Choices& choices) const {
    const auto* const consecutive = std::get_if<Consecutive>(&first.delta);
    if (consecutive == nullptr || first.bits > kRarestBits || effort_.trials < 2) return;
    if (!is_auto_delta() || consecutive->order != 1) return;
    Weighed other = first;
    other.delta = Consecutive{2, consecutive->secondary};
    const float few_bits = kFewRareBits / static_cast<float>(ordered_.n);
    choices.add(choice_of(other, std::max(effort_.misled * first.bits, few_bits)));
  }

  // Ways that take no more than this share of the best are tried beside it.
  float close_share(const Weighed& first) const {
    const float share = config_.level < kLevelForSize ? kCloseSecond : kCloseSecondForSize;
    if (hints_ != nullptr) return share;
    return share + kCloseSecondBits / (first.bits * static_cast<float>(ordered_.n));
  }

  // Of the same mode.
  void add_next_order(const Weighed& first, float close, Choices& choices) const {
    Weighed next = first;
    next.bits += (1 + first.toll) * first.next_more_bits;
    if (effort_.trials < 2 || !(next.bits <= close * first.bits)) return;
    const bool secondary = encodes_secondary(first.delta) && first.next_order > 0;
    if (first.next_order == 0) {
      next.delta = NoDelta{};
    } else {
      next.delta = Consecutive{first.next_order, secondary};
    }
    choices.add(choice_of(next, next.bits / close));
  }

  static Choice choice_of(const Weighed& weighed, float worth_over_bits) {
    return {weighed.mode, weighed.delta, {}, weighed.bits, worth_over_bits};
  }
  bool tries_more() const { return ordered_.n <= kFewNumbers || effort_.checks_classic; }

  // Numbers in two halves, both of which take bits.
  static bool is_halved(const Weighed& way) {
    return std::holds_alternative<FloatQuant>(way.mode) && way.secondary_bits > kHalvedBits;
  }
  // Where the numbers repeat, all parts of them must, which tell nothing of the whole.
  static bool is_unnatural(const Weighed& way) {
    return is_halved(way) || way.secondary_bits > kMostCorrectionBits || way.toll >= kFinestToll;
  }
  static bool is_dict(const Weighed& way) { return std::holds_alternative<Dict>(way.mode); }

  // The first way that is no dictionary; of many numbers the first that is natural, too, if that
  // one was not, and came near (or won, where size counts for most) or was kept out by a large
  // secondary variable; and the best if that is a dictionary, as where numbers repeat, one rarely
  // helps.
  LookbackVerdict find_lookback(float bits, const Choices& choices, Choice& found) const {
    if (!is_auto_delta() || !effort_.lookback) return LookbackVerdict::kUnlikely;
    const std::span<const Weighed> ways = std::span(choices.ways).first(choices.way_n);
    const auto first = [&](auto&& suits) {
      const auto way = std::find_if(ways.begin(), ways.end(), suits);
      return way == ways.end() ? nullptr : &*way;
    };
    const Weighed* const plain = first([](const Weighed& way) { return !is_dict(way); });
    const Weighed* const whole =
        first([](const Weighed& way) { return !is_dict(way) && !is_unnatural(way); });
    LookbackVerdict verdict = LookbackVerdict::kUnlikely;
    if (plain != nullptr) verdict = try_lookback_with(*plain, bits, choices, found);
    const bool is_taken = verdict == LookbackVerdict::kTaken;
    const bool is_enough = is_taken && config_.level < kLevelForSize;
    const bool tells_all = plain == whole || ordered_.n < kManyNumbers || is_enough ||
                           verdict == LookbackVerdict::kUnlikely;
    if (!tells_all && whole != nullptr &&
        (verdict > LookbackVerdict::kLost || plain->secondary_bits > kMostCorrectionBits)) {
      Choice other;
      const bool is_lost = verdict == LookbackVerdict::kLost && config_.level < kLevelForSize;
      const LookbackVerdict with_whole =
          try_lookback_with(*whole, bits, choices, other, is_lost ? kPromiseAfterLoss : 0);
      const bool is_better = !is_taken || other.bits < found.bits;
      if (with_whole == LookbackVerdict::kTaken && is_better) found = other;
      verdict = std::max(verdict, with_whole);
    }
    if (verdict == LookbackVerdict::kTaken || !is_dict(ways[0])) return verdict;
    return std::max(verdict, try_lookback_with(ways[0], bits, choices, found));
  }

  LookbackVerdict try_lookback_with(const Weighed& way, float bits, const Choices& choices,
                                    Choice& found, float promise = 0) const {
    found = choice_of(way, 0);
    const float share = effort_.favors_decoding ? kFavoredLookback : 1;
    Trial trial{page_n_, share * bits, is_auto_mode(), config_.level, way.secondary_bits};
    trial.promise = promise;
    trial.repeats = choices.repeats;
    trial.is_part = choices.is_part && config_.level < kLevelForSize;
    return try_lookback(choices.sample, ordered_, trial, found, arena_);
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
  const ChooseHints* hints_;
  ChoiceLog* log_;
  FormatVersion version_;  // that readers know
};

}  // namespace

Choices choose(NumberType type, const LatentArray& ordered, std::size_t page_n,
               const EncodeConfig& config, Arena& arena, const ChooseHints* hints, ChoiceLog* log) {
  Choices choices = choose_plain(type, ordered, page_n, config, arena, hints, log);
  add_lookback(type, ordered, page_n, choices.all()[0].bits, config, arena, choices);
  return choices;
}

Choices choose_plain(NumberType type, const LatentArray& ordered, std::size_t page_n,
                     const EncodeConfig& config, Arena& arena, const ChooseHints* hints,
                     ChoiceLog* log) {
  return Chooser(type, ordered, page_n, config, arena, hints, log).choose_plain();
}

LookbackVerdict add_lookback(NumberType type, const LatentArray& ordered, std::size_t page_n,
                             float bits, const EncodeConfig& config, Arena& arena,
                             Choices& choices) {
  return Chooser(type, ordered, page_n, config, arena, nullptr, nullptr)
      .add_lookback(bits, choices);
}

}  // namespace numpact
