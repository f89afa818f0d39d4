// SPDX-License-Identifier: Apache-2.0
// Chooses mode and delta encoding together, by estimated size on a sample: every proposed mode is
// estimated with its best delta encoding (docs/decisions/0005-choose-by-estimated-size.md).
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

// A FloatMult whose corrections take more than this is refined: divisors of its base are proposed,
// and Conv1 is tried on Classic too. Fewer corrections leave too little to gain.
constexpr float kMinCostlySecondaryBitsPerNumber = 0.2f;

// Below this rate rare numbers decide which mode is best, and a larger sample is taken so that it
// holds enough of them. A higher bound costs encoding time on more chunks.
constexpr float kLargeSampleBitsPerNumber = 0.75f;

// Below this rate even a large sample is too small to show what follows a rare event, so both
// orders of Consecutive are encoded; but a chunk of fewer than kMinSparseChunkBits in all has
// nothing to save.
constexpr float kSparseBitsPerNumber = 0.05f;
constexpr float kMinSparseChunkBits = 2048;

// In chunks of at most this many numbers, and in all chunks at the highest levels, alternatives are
// encoded in full if their estimates are within the ratio of the best one. Higher values trade
// encoding time for size.
constexpr std::size_t kMaxCheapAttemptN = std::size_t{1} << 13;
constexpr float kCloseEstimateRatio = 1.005f;
constexpr float kCloseEstimateRatioForSize = 1.015f;
// Absolute error of an estimate for a whole chunk, added to the ratio: the page's ANS states and
// the padding to whole bytes.
constexpr float kEstimateErrorChunkBits = 16;
// If a chunk with Lookback takes at most this ratio of the estimate without, the latter is not
// encoded for comparison.
constexpr float kClearLookbackRatio = 0.93f;
// Dict and Conv1 whose estimate for a run is within this ratio of the best may be the best for one
// of its segments.
constexpr float kSegmentHintRatio = 1.1f;

// Latents of the subsample for coarse estimates; half of them in short chunks, twice as many for
// divisors of a base, which differ less. More latents make the estimates better and slower.
constexpr std::size_t kCoarseSampleN = 256;

// In chunks of at most this many numbers, all orders of Consecutive are tried at lower levels too,
// as they take little time.
constexpr std::size_t kMaxAllOrdersN = std::size_t{1} << 11;

// Penalty for all but the first two candidates: functions propose the most natural parameters
// first, and the others must be clearly better, not just by the error of an estimate.
constexpr float kLaterProposalPenaltyShare = 0.003f;
// Penalty for the finest bases: they split numbers without a base into two variables, for which
// estimates are less exact.
constexpr float kFinestBasePenaltyShare = 0.02f;
// Divisors of a base are estimated fully if their coarse estimate is within this ratio of the best.
// It is small, since the coarse estimates of related bases share the same bias.
constexpr float kNearDivisorRatio = 1.03f;

// A FloatMult whose estimate with Consecutive is within this ratio of Classic's may be the best
// mode with Conv1.
constexpr float kNearConv1BaseRatio = 1.08f;

// Conv1 is not fitted to a chunk of fewer bits in all: its weights take some hundred bits.
constexpr float kMinConv1ChunkBits = 4096;

// If the secondary variable of a FloatQuant takes more than this, the mode splits the numbers
// into two parts that both carry much information.
constexpr float kMinHalvedSecondaryBitsPerNumber = 1;
// Penalty for such halves: the estimates of both have errors.
constexpr float kHalvedPenaltyShare = 0.02f;
// If the secondary variable of any mode takes more than this, it holds more than corrections.
constexpr float kMaxCorrectionBitsPerNumber = 2;

// In chunks of fewer numbers a second Lookback search takes more time than its saving is worth.
constexpr std::size_t kMinSecondLookbackN = std::size_t{1} << 15;

// After a Lookback search whose result was worse, the cheap tests must indicate this saving before
// another search is run below kLevelForSize.
constexpr float kRequiredSavingAfterWorseShare = 0.1f;

// With favor_decode_speed Lookback, the slowest to decode, must beat this ratio of the estimate.
constexpr float kFastDecodeLookbackRatio = 0.92f;

Candidates collect_candidates(NumberType type, const LatentArray& ordered, const Sample& sample,
                              const ModeSpec& spec, const EncodeEffort& effort, Arena& arena) {
  Candidates candidates;
  if (spec.mode()) {
    visit_member<AnyMode>(*spec.mode(), [&](auto member) {
      using Member = typename decltype(member)::type;
      if constexpr (requires { Member::requested(spec, type); }) {
        candidates.add(Member::requested(spec, type));
      } else {
        Dict dict;
        const bool found = make_dict(ordered, ordered.n / 2 + 1, arena, dict);
        candidates.add(found ? AnyMode(dict) : AnyMode(Classic{}));
      }
    });
    return candidates;
  }
  candidates.add(Classic{});
  if (!effort.all_modes) return candidates;
  if (kind_of(type) == NumberKind::kFloat) {
    propose_float_quant(type, sample, candidates);
    propose_float_mult(type, sample, candidates, arena);
  } else {
    propose_int_mult(sample, candidates);
  }
  return candidates;
}

// The best estimates so far, in ascending order of their bits.
class Ranking {
 public:
  // More are never encoded.
  static constexpr std::size_t kMaxRanked = Choices::kMaxChoices;

  Ranking(const FormatVersion& version, ChoiceLog* log) : version_(version), log_(log) {}

  // Drops the estimate if readers of the version do not know its mode or delta encoding.
  void add(const Estimate& estimate) {
    if (!is_allowed(estimate.mode, version_) || !is_allowed(estimate.delta, version_)) return;
    if (log_ != nullptr) log_->estimated(estimate.mode, estimate.delta, estimate.bits);
    std::size_t at = size_ < kMaxRanked ? size_++ : kMaxRanked;
    while (at > 0 && estimate.bits < estimates_[at - 1].bits) {
      if (at < kMaxRanked) estimates_[at] = estimates_[at - 1];
      --at;
    }
    if (at < kMaxRanked) estimates_[at] = estimate;
  }
  const Estimate& first() const { return estimates_[0]; }
  std::span<const Estimate> all() const { return {estimates_.data(), size_}; }

 private:
  FormatVersion version_;
  ChoiceLog* log_;
  std::array<Estimate, kMaxRanked> estimates_;
  std::size_t size_ = 0;
};

SegmentHints hints_of(const Ranking& ranking) {
  SegmentHints hints;
  for (const Estimate& estimate : ranking.all()) {
    if (estimate.bits > kSegmentHintRatio * ranking.first().bits) break;
    hints.dict = hints.dict || std::holds_alternative<Dict>(estimate.mode);
    hints.conv1 = hints.conv1 || std::holds_alternative<Conv1>(estimate.delta);
  }
  return hints;
}

class Chooser {
 public:
  Chooser(NumberType type, const LatentArray& ordered, std::size_t page_n,
          const EncodeConfig& config, Arena& arena, const SegmentHints* hints, ChoiceLog* log)
      : type_(type),
        ordered_(ordered),
        page_n_(page_n),
        config_(config),
        effort_(EncodeEffort::of(config)),
        arena_(arena),
        hints_(hints),
        log_(log),
        version_(FormatVersion::of(config.compatibility)) {
    effort_.secondary_deltas &= version_.has_delta_variants();
    effort_.lookback &= is_allowed(Lookback{}, version_);
    if (hints != nullptr) effort_.all_modes &= hints->bases;
    const bool is_short =
        ordered.n <= kMaxAllOrdersN && effort_.all_modes && !effort_.favors_decode_speed;
    if (is_short) effort_.max_consecutive_order = kMaxConsecutiveOrder;
  }

  Choices choose_plain() const {
    if (hints_ != nullptr) {
      const Sample segment = take_sample(ordered_, segment_sample_n(ordered_.n), arena_);
      return finalize(segment, rank(segment));
    }
    Sample sample =
        take_sample(ordered_, default_sample_n(ordered_.n, effort_.max_sample_n()), arena_);
    Ranking ranking = rank(sample);
    const std::size_t large = large_sample_n(ordered_.n, effort_.max_sample_n());
    if (effort_.all_modes && sample.latents.n < large &&
        ranking.first().bits < kLargeSampleBitsPerNumber) {
      sample = take_sample(ordered_, large, arena_);
      ranking = rank(sample);
    }
    return finalize(sample, ranking);
  }

  LookbackResult add_lookback(float bits, Choices& choices) const {
    Choice lookback;
    const LookbackResult result = find_lookback(bits, choices, lookback);
    if (result != LookbackResult::kAccepted) return result;
    const Choice& plain = choices.all()[0];
    const float ratio = effort_.attempts_classic ? 0
                        : attempts_close()       ? kClearLookbackRatio
                                                 : effort_.estimate_error_ratio;
    choices.prepend(lookback, attempts_close() ? effort_.max_attempts : 1, ratio * plain.bits);
    return result;
  }

 private:
  bool is_auto_mode() const { return !config_.mode.mode(); }
  bool is_auto_delta() const { return !config_.delta.delta(); }

  // Removes modes that readers of the version do not know, so that they do not displace others.
  Candidates allowed(const Candidates& candidates) const {
    Candidates known;
    for (const Candidate& candidate : candidates) {
      if (is_allowed(candidate.mode, version_)) known.add(candidate);
    }
    return known;
  }

  Ranking rank(const Sample& sample) const {
    Ranking ranking(version_, log_);
    const std::size_t subsample_n =
        ordered_.n <= kMaxCheapAttemptN ? kCoarseSampleN / 2 : kCoarseSampleN;
    const Sample subsample = take_subsample(sample, subsample_n, arena_);
    const Candidates candidates =
        collect_candidates(type_, ordered_, sample, config_.mode, effort_, arena_);
    const Divisible divisible = rank_candidates(allowed(candidates), sample, subsample, ranking);
    if (effort_.base_divisors && divisible.candidate.denominator != 0) {
      rank_divisors(divisible, sample, take_subsample(sample, 2 * subsample_n, arena_), ranking);
    }
    if (hints_ == nullptr || hints_->conv1) add_conv1(sample, ranking);
    if (hints_ == nullptr || hints_->dict) add_dict(sample, ranking);
    return ranking;
  }

  struct Divisible {
    // The best FloatMult with a costly secondary variable; its denominator is 0 if there is none.
    Candidate candidate;
    float coarse_bits = 0;
  };

  // Estimates the candidates that coarse estimates leave.
  Divisible rank_candidates(const Candidates& candidates, const Sample& sample,
                            const Sample& subsample, Ranking& ranking) const {
    std::array<CoarseEstimate, Candidates::kMaxCandidates> costs;
    std::array<std::size_t, Candidates::kMaxCandidates> order;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      costs[i] = coarse_estimate(candidates.begin()[i].mode, subsample, arena_);
      order[i] = i;
    }
    std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(candidates.size()),
              [&](std::size_t a, std::size_t b) {
                return costs[a].bits() != costs[b].bits() ? costs[a].bits() < costs[b].bits()
                                                          : a < b;
              });
    // A FloatQuant's coarse estimate does not exclude others: it is known to be exact, while those
    // of bases tend to be too high.
    float min_coarse = HUGE_VALF;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (std::holds_alternative<FloatQuant>(candidates.begin()[i].mode)) continue;
      min_coarse = std::min(min_coarse, costs[i].bits());
    }
    const float n = static_cast<float>(ordered_.n);
    Divisible divisible;
    float min_bits = HUGE_VALF;
    std::size_t estimated_n = 0;
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      const std::size_t i = order[k];
      const Candidate& candidate = candidates.begin()[i];
      // Two kinds are estimated whatever the coarse estimate says. Classic without a delta, since
      // values that repeat in a long chunk look unique in a small subsample. And FloatQuant that
      // fits most numbers: it is a safe choice, though a base may look better. For a FloatQuant
      // that fits a minority the coarse estimate decides.
      const bool is_classic = std::holds_alternative<Classic>(candidate.mode);
      const bool is_quant = std::holds_alternative<FloatQuant>(candidate.mode);
      const bool is_likely = is_quant && !candidate.fits_minority;
      const bool is_exempt = is_likely || (is_classic && sample.scale > 1);
      const bool is_excluded =
          estimated_n >= effort_.max_estimated || !is_near_best(costs[i].bits(), min_coarse, n);
      if (is_excluded && !is_exempt) continue;
      const bool is_plain = is_excluded && is_classic && is_auto_delta();
      const DeltaSpec delta = is_plain ? DeltaSpec::none() : config_.delta;
      const Estimate estimate =
          estimate_with_penalty(candidate.mode, sample, costs[i], delta, penalty(candidate, i));
      // A FloatQuant takes no base's place.
      estimated_n += is_quant ? 0 : 1;
      ranking.add(estimate);
      if (candidate.denominator != 0 &&
          estimate.secondary_bits > kMinCostlySecondaryBitsPerNumber && estimate.bits < min_bits) {
        min_bits = estimate.bits;
        divisible.candidate = candidate;
        divisible.coarse_bits = costs[i].bits();
      }
    }
    return divisible;
  }

  static float penalty(const Candidate& candidate, std::size_t index) {
    return candidate.is_finest ? kFinestBasePenaltyShare
           : index > 1         ? kLaterProposalPenaltyShare
                               : 0;
  }

  void rank_divisors(const Divisible& divisible, const Sample& sample, const Sample& subsample,
                     Ranking& ranking) const {
    Candidates divisors;
    propose_float_mult_divisors(type_, sample, divisible.candidate, divisors);
    std::array<CoarseEstimate, Candidates::kMaxCandidates> costs;
    float min_bits = divisible.coarse_bits;
    for (std::size_t i = 0; i < divisors.size(); ++i) {
      costs[i] = coarse_estimate(divisors.begin()[i].mode, subsample, arena_);
      min_bits = std::min(min_bits, costs[i].bits());
    }
    const float max_bits =
        kNearDivisorRatio * min_bits + unseen_meta_bits(static_cast<float>(ordered_.n));
    for (std::size_t i = 0; i < divisors.size(); ++i) {
      if (costs[i].bits() > max_bits) continue;
      ranking.add(estimate_with_penalty(divisors.begin()[i].mode, sample, costs[i], config_.delta,
                                        kLaterProposalPenaltyShare));
    }
  }

  Estimate estimate_with_penalty(const AnyMode& mode, const Sample& sample,
                                 const CoarseEstimate& coarse, const DeltaSpec& delta,
                                 float penalty) const {
    Estimate estimate = estimate_mode(mode, sample, coarse, delta, effort_, arena_);
    if (is_halved(estimate)) penalty = std::max(penalty, kHalvedPenaltyShare);
    estimate.bits *= 1 + penalty;
    estimate.penalty = penalty;
    return estimate;
  }

  // Tries Conv1 with the best mode. Floats may be predicted better as multiples of a base than as
  // ordered bits, or the reverse. So if Classic is the best mode, the best base is tried too, and
  // if a base needs many corrections, Classic is.
  void add_conv1(const Sample& sample, Ranking& ranking) const {
    if (!is_auto_delta() || effort_.max_conv1_order == 0) return;
    const Estimate best = ranking.first();
    std::optional<Estimate> second;
    if (std::holds_alternative<Classic>(best.mode)) {
      for (const Estimate& estimate : ranking.all()) {
        if (!std::holds_alternative<FloatMult>(estimate.mode)) continue;
        if (estimate.bits <= kNearConv1BaseRatio * best.bits) second = estimate;
        break;
      }
    } else if (std::holds_alternative<FloatMult>(best.mode) &&
               best.secondary_bits > kMinCostlySecondaryBitsPerNumber && is_auto_mode()) {
      second = Estimate{Classic{}, NoDelta{}, best.bits, 0};
    }
    add_conv1(sample, best, ranking);
    if (second) add_conv1(sample, *second, ranking);
  }

  // Skips wide latents, to which Conv1 does not apply, and chunks that are too small.
  void add_conv1(const Sample& sample, const Estimate& estimate, Ranking& ranking) const {
    if (primary_bits(estimate.mode, type_) > 32) return;
    if (estimate.bits * static_cast<float>(ordered_.n) < kMinConv1ChunkBits) return;
    const ArenaScope scratch(arena_);
    const SplitLatents latents = split(estimate.mode, sample.latents, arena_);
    const float other_bits = estimate.secondary_bits;
    const float to_beat = estimate.bits / (1 + estimate.penalty) - other_bits;
    const std::optional<Conv1Estimate> conv =
        estimate_conv1(sample, latents.primary, to_beat, effort_, arena_);
    if (!conv) return;
    const float bits = (conv->bits + other_bits) * (1 + estimate.penalty);
    ranking.add({estimate.mode, conv->conv, bits, other_bits, estimate.penalty});
  }

  void add_dict(const Sample& sample, Ranking& ranking) const {
    if (!effort_.dicts || !is_auto_mode() || !is_auto_delta()) return;
    auto estimate = estimate_dict(ordered_, sample, ranking.first(), effort_, arena_);
    if (!estimate) return;
    estimate->bits *= 1 + effort_.dict_penalty;
    ranking.add(*estimate);
  }

  Choices finalize(const Sample& sample, const Ranking& ranking) const {
    Choices choices;
    const Estimate& first = ranking.first();
    choices.sample = sample;
    choices.hints = hints_of(ranking);
    if (is_auto_delta() && effort_.lookback) choices.repeats = make_page_repeats(arena_);
    for (const Estimate& estimate : ranking.all()) {
      choices.estimates[choices.estimate_n++] = estimate;
    }
    choices.add(with_requested_delta(choice_of(first, 0)));
    add_other_order(first, choices);
    const float ratio = close_ratio(first);
    if (attempts_close() && hints_ == nullptr) add_next_order(first, ratio, choices);
    // Other orders of the best mode take no other mode's place.
    const std::size_t max_choices = effort_.max_attempts + choices.all().size() - 1;
    for (const Estimate& next : ranking.all().subspan(1)) {
      const bool is_close = next.bits <= ratio * first.bits;
      if (choices.all().size() >= max_choices || (attempts_close() && !is_close)) break;
      if (hints_ != nullptr && !attempts_close()) break;
      const float margin = attempts_close() ? 1 / ratio : effort_.estimate_error_ratio;
      choices.add(with_requested_delta(choice_of(next, margin * next.bits)));
    }
    if (effort_.attempts_classic && is_auto_mode() && is_auto_delta() && sample.scale > 1) {
      choices.add(Choice{});
    }
    return choices;
  }

  // For events that are so rare that no sample shows what follows them: one step (order 1 is
  // better) or a run of equal steps (order 2).
  void add_other_order(const Estimate& first, Choices& choices) const {
    const auto* const consecutive = std::get_if<Consecutive>(&first.delta);
    if (consecutive == nullptr || effort_.max_attempts < 2) return;
    if (first.bits > kSparseBitsPerNumber) return;
    if (!is_auto_delta() || consecutive->order != 1) return;
    Estimate other = first;
    other.delta = Consecutive{2, consecutive->secondary};
    const float min_bits = kMinSparseChunkBits / static_cast<float>(ordered_.n);
    choices.add(choice_of(other, std::max(effort_.estimate_error_ratio * first.bits, min_bits)));
  }

  // Alternatives within this ratio of the best estimate are encoded for comparison.
  float close_ratio(const Estimate& first) const {
    const float ratio =
        is_for_size(config_.level) ? kCloseEstimateRatioForSize : kCloseEstimateRatio;
    if (hints_ != nullptr) return ratio;
    return ratio + kEstimateErrorChunkBits / (first.bits * static_cast<float>(ordered_.n));
  }

  // Adds the second-best order of Consecutive for the best mode, if it is close.
  void add_next_order(const Estimate& first, float ratio, Choices& choices) const {
    Estimate next = first;
    next.bits += (1 + first.penalty) * first.next_more_bits;
    if (effort_.max_attempts < 2 || !(next.bits <= ratio * first.bits)) return;
    const bool secondary = encodes_secondary(first.delta) && first.next_order > 0;
    if (first.next_order == 0) {
      next.delta = NoDelta{};
    } else {
      next.delta = Consecutive{first.next_order, secondary};
    }
    choices.add(choice_of(next, next.bits / ratio));
  }

  static Choice choice_of(const Estimate& estimate, float attempt_above_bits) {
    return {estimate.mode, estimate.delta, {}, estimate.bits, attempt_above_bits};
  }
  bool attempts_close() const {
    return ordered_.n <= kMaxCheapAttemptN || effort_.attempts_classic;
  }

  // The mode splits numbers into two variables that both take many bits.
  static bool is_halved(const Estimate& estimate) {
    return std::holds_alternative<FloatQuant>(estimate.mode) &&
           estimate.secondary_bits > kMinHalvedSecondaryBitsPerNumber;
  }
  // The mode splits the numbers themselves, so that Lookback needs repetition in both variables;
  // how the parts repeat does not show how the numbers do.
  static bool splits_numbers(const Estimate& estimate) {
    return is_halved(estimate) || estimate.secondary_bits > kMaxCorrectionBitsPerNumber ||
           estimate.penalty >= kFinestBasePenaltyShare;
  }
  static bool is_dict(const Estimate& estimate) {
    return std::holds_alternative<Dict>(estimate.mode);
  }

  // Evaluates Lookback with up to three of the estimated modes:
  // 1. the best one that is not a dictionary;
  // 2. on long pages, the best one that also keeps the numbers unsplit, if the first is not that
  //    one and its result was close (or accepted, where size counts most), or if the large
  //    secondary variable may be what excluded it;
  // 3. a dictionary, if it is the best mode and nothing was accepted. It comes last, since a
  //    dictionary rarely helps if numbers repeat at a distance.
  LookbackResult find_lookback(float bits, const Choices& choices, Choice& found) const {
    if (!is_auto_delta() || !effort_.lookback) return LookbackResult::kNotPromising;
    const std::span<const Estimate> estimates =
        std::span(choices.estimates).first(choices.estimate_n);
    const auto first = [&](auto&& fits) {
      const auto estimate = std::find_if(estimates.begin(), estimates.end(), fits);
      return estimate == estimates.end() ? nullptr : &*estimate;
    };
    const Estimate* const plain =
        first([](const Estimate& estimate) { return !is_dict(estimate); });
    const Estimate* const unsplit = first(
        [](const Estimate& estimate) { return !is_dict(estimate) && !splits_numbers(estimate); });
    LookbackResult result = LookbackResult::kNotPromising;
    if (plain != nullptr) result = try_lookback_with(*plain, bits, choices, found);
    const bool is_accepted = result == LookbackResult::kAccepted;
    const bool is_enough = is_accepted && !is_for_size(config_.level);
    const bool is_decided = plain == unsplit || ordered_.n < kMinSecondLookbackN || is_enough ||
                            result == LookbackResult::kNotPromising;
    if (!is_decided && unsplit != nullptr &&
        (result > LookbackResult::kWorse || plain->secondary_bits > kMaxCorrectionBitsPerNumber)) {
      Choice other;
      const bool was_worse = result == LookbackResult::kWorse && !is_for_size(config_.level);
      const LookbackResult with_unsplit = try_lookback_with(
          *unsplit, bits, choices, other, was_worse ? kRequiredSavingAfterWorseShare : 0);
      const bool is_better = !is_accepted || other.bits < found.bits;
      if (with_unsplit == LookbackResult::kAccepted && is_better) found = other;
      result = std::max(result, with_unsplit);
    }
    if (result == LookbackResult::kAccepted || !is_dict(estimates[0])) return result;
    return std::max(result, try_lookback_with(estimates[0], bits, choices, found));
  }

  LookbackResult try_lookback_with(const Estimate& estimate, float bits, const Choices& choices,
                                   Choice& found, float required_saving = 0) const {
    found = choice_of(estimate, 0);
    const float share = effort_.favors_decode_speed ? kFastDecodeLookbackRatio : 1;
    LookbackInput input{page_n_, share * bits, is_auto_mode(), config_.level,
                        estimate.secondary_bits};
    input.min_saving_share = required_saving;
    input.repeats = choices.repeats;
    input.is_segment = choices.is_segment && !is_for_size(config_.level);
    return try_lookback(choices.sample, ordered_, input, found, arena_);
  }

  // Applies a requested delta encoding that is not estimated on the sample.
  Choice with_requested_delta(Choice choice) const {
    if (config_.delta.delta() == Delta::kLookback) choice.delta = lookback_for(page_n_);
    if (config_.delta.delta() == Delta::kConv1) {
      choice.delta = fit_conv1(choice.mode, ordered_, config_.delta.order(), arena_);
    }
    return choice;
  }

  NumberType type_;
  const LatentArray& ordered_;
  std::size_t page_n_;
  const EncodeConfig& config_;
  EncodeEffort effort_;
  Arena& arena_;
  const SegmentHints* hints_;
  ChoiceLog* log_;
  FormatVersion version_;  // that readers must support
};

}  // namespace

Choices choose(NumberType type, const LatentArray& ordered, std::size_t page_n,
               const EncodeConfig& config, Arena& arena, const SegmentHints* hints,
               ChoiceLog* log) {
  Choices choices = choose_plain(type, ordered, page_n, config, arena, hints, log);
  add_lookback(type, ordered, page_n, choices.all()[0].bits, config, arena, choices);
  return choices;
}

Choices choose_plain(NumberType type, const LatentArray& ordered, std::size_t page_n,
                     const EncodeConfig& config, Arena& arena, const SegmentHints* hints,
                     ChoiceLog* log) {
  return Chooser(type, ordered, page_n, config, arena, hints, log).choose_plain();
}

LookbackResult add_lookback(NumberType type, const LatentArray& ordered, std::size_t page_n,
                            float bits, const EncodeConfig& config, Arena& arena,
                            Choices& choices) {
  return Chooser(type, ordered, page_n, config, arena, nullptr, nullptr)
      .add_lookback(bits, choices);
}

}  // namespace numpact
