// SPDX-License-Identifier: Apache-2.0
#include "pco/encode/session.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/tuned.hpp"
#include "pco/encode/conv1/fit.hpp"
#include "pco/encode/estimate/decode_cost.hpp"
#include "pco/encode/lookback/detect/repeats.hpp"
#include "pco/encode/lookback/evaluate.hpp"
#include "pco/encode/lookback/optimize/search.hpp"
#include "pco/encode/modes/allowed.hpp"
#include "pco/encode/modes/dict.hpp"
#include "pco/encode/randomness.hpp"
#include "pco/encode/recipe.hpp"
#include "pco/limits.hpp"
#include "pco/mode/split.hpp"

namespace numpact::internal {
namespace {

// The thresholds were set by the sizes of the shared columns (`./dev bench sizes`) against the time
// to encode them (`./dev bench levels`). Figures in comments are of the commit that set the value.

// A FloatMult whose corrections take more than this is refined: divisors of its base are proposed,
// and weights are tried on Classic too. Fewer corrections leave too little to gain.
NUMPACT_TUNED(float, kMinCostlySecondaryBitsPerNumber, 0.2f);
// So is one that takes more than this share of the bits.
NUMPACT_TUNED(float, kMaxCheapSecondaryShare, 0.1f);

// Below this rate rare numbers decide which mode is best, and a larger sample is taken so that it
// holds enough of them. A higher bound costs encoding time on more chunks: half of it makes 0.037 %
// more bytes, twice of it as many.
NUMPACT_TUNED(float, kMaxLargeSampleBitsPerNumber, 0.75f);

// If a sample of this size may take this share more or less than another, by the spread over its
// runs, a larger one is taken. A lower share takes larger samples of more chunks.
NUMPACT_TUNED(float, kMaxSpreadShare, 0.15f);
// The size of that sample, in usual samples: twice as many take more time for as many bytes.
constexpr std::size_t kUnevenSamples = 4;

// Below this rate even a large sample is too small to show what follows a rare event, so both
// orders of Consecutive are encoded; but a chunk of fewer than kMinSparseChunkBits in all has
// nothing to save.
NUMPACT_TUNED(float, kMaxSparseBitsPerNumber, 0.05f);
NUMPACT_TUNED(float, kMinSparseChunkBits, 2048);

// In chunks of at most this many numbers, and in all chunks at the highest levels, alternatives are
// encoded in full if their estimates are close. Higher values trade encoding time for size.
constexpr std::size_t kMaxCheapAttemptN = std::size_t{1} << 13;
// Absolute error of an estimate for a whole chunk, added to the ratio: the page's ANS states and
// the padding to whole bytes.
NUMPACT_TUNED(float, kEstimateErrorChunkBits, 16);
// If a chunk with Lookback takes at most this ratio of the estimate without, the latter is not
// encoded for comparison.
NUMPACT_TUNED(float, kClearLookbackRatio, 0.93f);

// Latents of the subsample for coarse estimates; half of them in short chunks, twice as many for
// divisors of a base, which differ less. More latents make the estimates better and slower.
NUMPACT_TUNED(std::size_t, kCoarseSampleN, 256);

// A sample of at least this many numbers is estimated in two steps: one in kRacePartOneIn of them
// first, all of them for what may be the best.
NUMPACT_TUNED(std::size_t, kMinRaceSampleN, 2048);
NUMPACT_TUNED(std::size_t, kRacePartOneIn, 4);

// If the best takes less than this ratio of its estimate on the part, all are estimated.
NUMPACT_TUNED(float, kPartDriftRatio, 0.9f);

// In chunks of at most this many numbers, all orders of Consecutive are tried at lower levels too,
// as they take little time.
constexpr std::size_t kMaxAllOrdersN = std::size_t{1} << 11;

// Penalty for all but the first two candidates: functions propose the most natural parameters
// first, and the others must be clearly better, not just by the error of an estimate.
NUMPACT_TUNED(float, kLaterProposalPenaltyShare, 0.003f);
// Penalty for splits with few different remainders: values that a sample shows once are more in the
// chunk.
NUMPACT_TUNED(float, kFewRemaindersPenaltyShare, 0.08f);
// Penalty for the finest bases, and for other modes that split numbers into two variables of many
// bits, for which estimates are less exact.
NUMPACT_TUNED(float, kSplitPenaltyShare, 0.02f);
// Divisors of a base are estimated fully if their coarse estimate is within this ratio of the best.
// It is small, since the coarse estimates of related bases share the same bias.
NUMPACT_TUNED(float, kNearDivisorRatio, 1.03f);

// If the secondary variable of a mode that splits the bits of numbers takes more than this, both
// parts carry much information.
NUMPACT_TUNED(float, kMinHalvedSecondaryBitsPerNumber, 1);
// If the secondary variable of any mode takes more than this, it holds more than corrections.
NUMPACT_TUNED(float, kMaxCorrectionBitsPerNumber, 2);

bool is_dict(const Estimate& estimate) { return std::holds_alternative<Dict>(estimate.mode); }

// The mode splits numbers into two variables that both take many bits.
bool is_halved(const Estimate& estimate) {
  return splits_bits(estimate.mode) && estimate.secondary_bits > kMinHalvedSecondaryBitsPerNumber;
}

// The mode splits the numbers themselves, so that Lookback needs repetition in both variables; how
// the parts repeat does not show how the numbers do.
bool splits_numbers(const Estimate& estimate) {
  return is_halved(estimate) || estimate.secondary_bits > kMaxCorrectionBitsPerNumber ||
         estimate.penalty >= kSplitPenaltyShare;
}

float penalty_of(const Candidate& candidate, std::size_t index) {
  if (candidate.has_few_remainders) return kFewRemaindersPenaltyShare;
  return candidate.is_finest ? kSplitPenaltyShare : index > 1 ? kLaterProposalPenaltyShare : 0;
}

Choice choice_of(const Estimate& estimate, float attempt_above_bits) {
  return {estimate.mode,       estimate.delta, {}, estimate.bits, attempt_above_bits, 0,
          estimate.decode_bits};
}

EncodeEffort effort_for(const ChunkNumbers& numbers, const EncodeConfig& config,
                        const FormatVersion& version) {
  EncodeEffort effort = EncodeEffort::of(config);
  effort.secondary_deltas &= version.has_delta_variants();
  effort.lookback &= is_allowed(Lookback{}, version);
  const bool is_short =
      numbers.ordered.n <= kMaxAllOrdersN && effort.all_modes && effort.decode_weight == 0;
  if (is_short) effort.max_consecutive_order = kMaxConsecutiveOrder;
  return effort;
}

}  // namespace

ChoiceSession::ChoiceSession(const ChunkNumbers& numbers, const EncodeConfig& config, Arena& arena,
                             ChoiceListener* listener)
    : type_(numbers.type),
      ordered_(numbers.ordered),
      page_n_(numbers.page_n),
      run_n_(numbers.run_n),
      scale_(numbers.scale),
      config_(config),
      level_(level_row(config.level)),
      effort_(effort_for(numbers, config, FormatVersion::of(config.compatibility))),
      arena_(arena),
      log_(listener),
      version_(FormatVersion::of(config.compatibility)) {}

void ChoiceSession::choose_plain() {
  if (config_.recipe != nullptr) return use_recipe();
  is_random_ = is_auto_mode() && is_auto_delta() && !level_.bins.one_bin &&
               looks_random(ordered_, level_.prefilter, arena_);
  if (is_random_) return use_plain();
  if (run_n_ != 0) {
    sample_ = {ordered_, run_n_, scale_, effort_.decode_weight};
    rank();
    return finalize();
  }
  sample_ = take_sample(ordered_, default_sample_n(ordered_.n, effort_.max_sample_n()), arena_);
  sample_.decode_weight = effort_.decode_weight;
  rank();
  const std::size_t large_n = larger_sample_n();
  if (effort_.all_modes && sample_.latents.n < large_n) {
    sample_ = take_sample(ordered_, large_n, arena_);
    sample_.decode_weight = effort_.decode_weight;
    rank();
  }
  finalize();
}

// Where rare numbers decide, or a sample of another part of the chunk might take far more or less.
std::size_t ChoiceSession::larger_sample_n() const {
  const float bits = ranking_.first().bits;
  if (bits < kMaxLargeSampleBitsPerNumber) {
    return large_sample_n(ordered_.n, effort_.max_sample_n());
  }
  if (spread_of_runs(sample_) <= kMaxSpreadShare * bits) return 0;
  return std::min(ordered_.n, kUnevenSamples * effort_.max_sample_n());
}

// Random numbers.
void ChoiceSession::use_plain() {
  Choice plain;
  // With the metadata of a bin: limits of the size compare this with the numbers as they are.
  const float bits = static_cast<float>(latent_bits(type_));
  plain.bits = bits + bits / static_cast<float>(ordered_.n);
  log_.estimated(plain.mode, plain.delta, {plain.bits, 0});
  choices_.add(plain);
}

// Numbers that the recipe does not suit are also encoded as Classic.
void ChoiceSession::use_recipe() {
  choices_.add(choice_by_recipe(*config_.recipe, ordered_, page_n_, arena_));
  Choice plain;
  plain.attempt_above_bits = static_cast<float>(latent_bits(type_));
  const bool is_plain =
      best().mode.index() == plain.mode.index() && best().delta.index() == plain.delta.index();
  if (!is_plain) choices_.add(plain);
}

bool ChoiceSession::attempts_close() const {
  return ordered_.n <= kMaxCheapAttemptN || effort_.attempts_classic;
}

// Fills the ranking from the sample.
void ChoiceSession::rank() {
  ranking_ = Ranking();
  const std::size_t subsample_n =
      ordered_.n <= kMaxCheapAttemptN ? kCoarseSampleN / 2 : kCoarseSampleN;
  const Sample subsample = take_subsample(sample_, subsample_n, arena_);
  const Divisible divisible = rank_candidates(allowed_candidates(), subsample);
  if (effort_.base_divisors && divisible.candidate.denominator != 0) {
    rank_divisors(divisible, take_subsample(sample_, 2 * subsample_n, arena_));
  }
  rank_weights();
  rank_dict();
}

// Without modes that readers of the version do not know, so that they do not displace others. With
// those that a smaller sample proposed: which bases are proposed differs from sample to sample.
Candidates ChoiceSession::allowed_candidates() const {
  const Candidates candidates =
      collect_candidates(type_, ordered_, sample_, config_.mode, effort_.all_modes, arena_);
  Candidates known;
  const auto add = [&](Candidate candidate) {
    candidate.is_known = estimated_.has(candidate.mode);
    if (is_allowed(candidate.mode, version_)) known.add_other(candidate);
  };
  for (const Candidate& candidate : estimated_) add(candidate);
  for (const Candidate& candidate : candidates) add(candidate);
  return known;
}

// Adds to the ranking, unless readers of the version do not know the mode or delta encoding.
void ChoiceSession::add_estimate(const Estimate& estimate) {
  add_estimate(estimate, with_error(estimate.bits).error);
}

void ChoiceSession::add_estimate(const Estimate& estimate, float error) {
  if (!is_allowed(estimate.mode, version_) || !is_allowed(estimate.delta, version_)) return;
  log_.estimated(estimate.mode, estimate.delta, {estimate.bits, error});
  ranking_.add(estimate);
}

// Estimates the candidates that coarse estimates leave.
ChoiceSession::Divisible ChoiceSession::rank_candidates(const Candidates& candidates,
                                                        const Sample& subsample) {
  std::array<CoarseEstimate, Candidates::kMaxCandidates> costs;
  std::array<std::size_t, Candidates::kMaxCandidates> order;
  float min_coarse = HUGE_VALF;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& candidate = candidates.begin()[i];
    costs[i] = coarse_estimate(candidate.mode, subsample, effort_.max_consecutive_order, arena_);
    costs[i].secondary_repeats = candidate.has_few_remainders;
    order[i] = i;
    if (!candidate.is_independent) min_coarse = std::min(min_coarse, costs[i].bits());
  }
  std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(candidates.size()),
            [&](std::size_t a, std::size_t b) {
              return costs[a].bits() != costs[b].bits() ? costs[a].bits() < costs[b].bits() : a < b;
            });
  const float n = static_cast<float>(ordered_.n);
  std::array<Contender, Candidates::kMaxCandidates> contenders;
  std::size_t contenders_n = 0;
  std::size_t estimated_n = 0;
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    const std::size_t i = order[k];
    const Candidate& candidate = candidates.begin()[i];
    // Three kinds are estimated whatever the coarse estimate says. Classic without a delta, since
    // values that repeat in a long chunk look unique in a small subsample. An independent mode that
    // fits the majority of the numbers: it is a safe choice, though a base may look better; for one
    // that fits a minority the coarse estimate decides. And modes that a smaller sample left.
    const bool is_classic = std::holds_alternative<Classic>(candidate.mode);
    const bool is_likely = candidate.is_independent && !candidate.fits_minority;
    const bool is_exempt = is_likely || (is_classic && sample_.scale > 1);
    const bool is_excluded = !candidate.is_known && (estimated_n >= effort_.max_estimated ||
                                                     !is_near_best(costs[i].bits(), min_coarse, n));
    if (is_excluded && !is_exempt) {
      const float bits = costs[i].bits();
      log_.estimated(candidate.mode, consecutive(costs[i].best_order(), false),
                     {bits, coarse_error_bits(bits, n)});
      continue;
    }
    const bool is_plain = is_excluded && is_classic && is_auto_delta();
    const DeltaSpec delta = is_plain ? DeltaSpec::none() : config_.delta;
    contenders[contenders_n++] = {&candidate,      delta,    penalty_of(candidate, i),
                                  costs[i].bits(), costs[i], {}};
    estimated_n += candidate.is_independent || candidate.is_known ? 0 : 1;
  }
  return race(std::span(contenders).first(contenders_n));
}

// Estimates the contenders on the sample: the best one by a part of it, then those within the error
// of that. Where the whole sample shows much less than the part, as where values repeat, the part
// says nothing about the others.
ChoiceSession::Divisible ChoiceSession::race(std::span<Contender> contenders) {
  if (is_auto_delta() && sample_.latents.n >= kMinRaceSampleN) estimate_on_part(contenders);
  const float min_part = contenders[0].part.bits;
  float max_part = kPartErrorRatio * min_part + kPartErrorBitsPerNumber;
  Divisible divisible;
  float min_bits = HUGE_VALF;
  float min_divisible = HUGE_VALF;
  for (const Contender& one : contenders) {
    // A part shows too little of how remainders repeat.
    Estimate estimate = one.part;
    float error = 0;
    if (one.part.bits > max_part && !one.candidate->has_few_remainders) {
      // It may still be the best with Lookback.
      estimate.bits *= min_bits / min_part;
      estimate.secondary_bits *= min_bits / min_part;
      error = (kPartErrorRatio - 1) * estimate.bits + kPartErrorBitsPerNumber;
    } else {
      estimate =
          estimate_with_penalty(one.candidate->mode, sample_, one.coarse, one.delta, one.penalty);
      estimated_.add_other(*one.candidate);
      min_bits = std::min(min_bits, estimate.bits);
      error = with_error(estimate.bits).error;
      if (&one == contenders.data() && estimate.bits < kPartDriftRatio * min_part) {
        max_part = HUGE_VALF;
      }
    }
    add_estimate(estimate, error);
    const bool is_costly =
        estimate.secondary_bits >
        std::min(kMinCostlySecondaryBitsPerNumber, kMaxCheapSecondaryShare * estimate.bits);
    if (one.candidate->denominator != 0 && is_costly &&
        estimate.bits - estimate.secondary_bits < min_bits && estimate.bits < min_divisible) {
      min_divisible = estimate.bits;
      divisible = {*one.candidate, one.coarse_bits};
    }
  }
  return divisible;
}

// Sorts them by the estimates, which replace the coarse ones.
void ChoiceSession::estimate_on_part(std::span<Contender> contenders) const {
  const Sample part = take_subsample(sample_, sample_.latents.n / kRacePartOneIn, arena_);
  for (Contender& one : contenders) {
    one.part = estimate_with_penalty(one.candidate->mode, part, one.coarse, one.delta, one.penalty);
    if (!one.delta.delta()) {
      one.coarse = CoarseEstimate::of_part(one.part, one.candidate->has_few_remainders);
    }
  }
  // Stable, and without memory of its own, unlike std::stable_sort().
  const auto is_less = [](const auto& a, const auto& b) { return a.part.bits < b.part.bits; };
  for (auto one = contenders.begin(); one != contenders.end(); ++one) {
    std::rotate(std::upper_bound(contenders.begin(), one, *one, is_less), one, one + 1);
  }
}

void ChoiceSession::rank_divisors(const Divisible& divisible, const Sample& subsample) {
  Candidates divisors;
  propose_float_mult_divisors(type_, sample_, divisible.candidate, divisors);
  std::array<CoarseEstimate, Candidates::kMaxCandidates> costs;
  float min_bits = divisible.coarse_bits;
  for (std::size_t i = 0; i < divisors.size(); ++i) {
    costs[i] =
        coarse_estimate(divisors.begin()[i].mode, subsample, effort_.max_consecutive_order, arena_);
    min_bits = std::min(min_bits, costs[i].bits());
  }
  const float max_bits =
      kNearDivisorRatio * min_bits + unseen_meta_bits(static_cast<float>(ordered_.n));
  for (std::size_t i = 0; i < divisors.size(); ++i) {
    if (costs[i].bits() > max_bits) continue;
    estimated_.add_other(divisors.begin()[i]);
    add_estimate(estimate_with_penalty(divisors.begin()[i].mode, sample_, costs[i], config_.delta,
                                       kLaterProposalPenaltyShare));
  }
}

Estimate ChoiceSession::estimate_with_penalty(const AnyMode& mode, const Sample& sample,
                                              const CoarseEstimate& coarse, const DeltaSpec& delta,
                                              float penalty) const {
  Estimate estimate = estimate_mode(mode, sample, coarse, delta, effort_, arena_);
  if (is_halved(estimate)) penalty = std::max(penalty, kSplitPenaltyShare);
  estimate.bits *= 1 + penalty;
  estimate.penalty = penalty;
  return estimate;
}

// Tries a delta with weights for the best mode. Floats may be predicted better as multiples of a
// base than as ordered bits, or the reverse. So if a base needs many corrections, Classic is tried
// too.
void ChoiceSession::rank_weights() {
  if (!is_auto_delta() || effort_.max_conv1_order == 0) return;
  const Estimate best = ranking_.first();
  rank_weights(best);
  if (std::holds_alternative<FloatMult>(best.mode) && is_auto_mode() &&
      best.secondary_bits > kMinCostlySecondaryBitsPerNumber) {
    rank_weights(Estimate{Classic{}, NoDelta{}, best.bits, 0});
  }
}

void ChoiceSession::rank_weights(const Estimate& estimate) {
  const float chunk_bits = estimate.bits * static_cast<float>(ordered_.n);
  if (!may_have_weights(primary_bits(estimate.mode, type_), chunk_bits)) return;
  const ArenaScope scratch(arena_);
  const SplitLatents latents = split(estimate.mode, sample_.latents, arena_);
  const float other_bits = estimate.secondary_bits;
  const float to_beat = estimate.bits / (1 + estimate.penalty) - other_bits;
  const std::optional<FittedDelta> fitted =
      estimate_fitted(sample_, latents.primary, to_beat, effort_, arena_);
  if (!fitted) return;
  const float bits = (fitted->bits + other_bits) * (1 + estimate.penalty);
  Estimate weighted{estimate.mode, fitted->delta, bits, other_bits, estimate.penalty};
  weighted.decode_bits =
      effort_.decode_weight * (mode_ns(estimate.mode) + delta_ns(fitted->delta) + kCodesNs);
  add_estimate(weighted);
}

void ChoiceSession::rank_dict() {
  if (!effort_.dicts || !is_auto_mode() || !is_auto_delta()) return;
  auto estimate = estimate_dict(ordered_, sample_, ranking_.first(), has_dict_, effort_, arena_);
  has_dict_ = estimate.has_value();
  if (!estimate) return;
  estimate->bits *= 1 + effort_.dict_penalty_share;
  estimate->bits += effort_.decode_weight * kDictNs;
  estimate->decode_bits = effort_.decode_weight * (kDictNs + delta_ns(estimate->delta) + kCodesNs);
  add_estimate(*estimate);
}

// Makes the list of choices from the ranking.
void ChoiceSession::finalize() {
  const Estimate& first = ranking_.first();
  if (is_auto_delta() && effort_.lookback) repeats_ = make_page_repeats(arena_);
  add_choice(with_requested_delta(choice_of(first, 0)));
  if (effort_.decode_weight > 0) return;  // attempts are compared by their bytes alone
  add_other_order(first);
  const float ratio = error_ratio(first.bits);
  if (attempts_close()) add_next_order(first, ratio);
  // Other orders of the best mode take no other mode's place.
  const std::size_t max_choices = effort_.max_attempts + choices().size() - 1;
  for (const Estimate& next : ranking_.all().subspan(1)) {
    const bool is_close = next.bits <= ratio * first.bits;
    if (choices().size() >= max_choices || (attempts_close() && !is_close)) break;
    const float margin = attempts_close() ? 1 / ratio : effort_.estimate_error_ratio;
    add_choice(with_requested_delta(choice_of(next, margin * next.bits)));
  }
  if (effort_.attempts_classic && is_auto_mode() && is_auto_delta() && sample_.scale > 1) {
    add_choice(Choice{});
  }
}

void ChoiceSession::add_choice(const Choice& choice) {
  if (choices_.add(choice)) return;
  log_.dropped(choice.mode, choice.delta, DropReason::kEnoughOthers);
}

// For events that are so rare that no sample shows what follows them: one step (order 1 is better)
// or a run of equal steps (order 2).
void ChoiceSession::add_other_order(const Estimate& first) {
  const auto* const consecutive = std::get_if<Consecutive>(&first.delta);
  if (consecutive == nullptr || effort_.max_attempts < 2) return;
  if (first.bits > kMaxSparseBitsPerNumber) return;
  if (!is_auto_delta() || consecutive->order != 1) return;
  const float min_bits = kMinSparseChunkBits / static_cast<float>(ordered_.n);
  Choice other = choice_of(first, std::max(effort_.estimate_error_ratio * first.bits, min_bits));
  other.delta = Consecutive{2, consecutive->secondary};
  other.bits = 0;
  add_choice(other);
}

// The error of estimates on the sample: alternatives within this ratio of the best one may be
// smaller when they are encoded.
float ChoiceSession::error_ratio(float bits) const {
  const float ratio =
      attempts_close() ? effort_.close_estimate_ratio : effort_.estimate_error_ratio;
  return ratio + kEstimateErrorChunkBits / (bits * static_cast<float>(ordered_.n));
}

// Adds the second-best order of Consecutive for the best mode, if it is close.
void ChoiceSession::add_next_order(const Estimate& first, float ratio) {
  Estimate next = first;
  next.bits += (1 + first.penalty) * first.next_more_bits;
  if (effort_.max_attempts < 2 || !(next.bits <= ratio * first.bits)) return;
  const bool secondary = encodes_secondary(first.delta) && first.next_order > 0;
  if (first.next_order == 0) {
    next.delta = NoDelta{};
  } else {
    next.delta = Consecutive{first.next_order, secondary};
  }
  add_choice(choice_of(next, next.bits / ratio));
}

// Applies a requested delta encoding that is not estimated on the sample.
Choice ChoiceSession::with_requested_delta(Choice choice) const {
  if (config_.delta.delta() == Delta::kLookback) choice.delta = lookback_for(page_n_);
  if (asks_for_weights(config_.delta)) {
    choice.delta = fit_delta(choice.mode, ordered_, config_.delta.order(), arena_);
  }
  return choice;
}

void ChoiceSession::add_lookback(float bits) {
  if (is_random_) return;
  Choice lookback;
  const LookbackResult result = find_lookback(bits, lookback);
  may_look_back_ = may_look_back_ || result != LookbackResult::kNotPromising;
  if (result != LookbackResult::kAccepted) return;
  const float ratio = effort_.attempts_classic ? 0
                      : attempts_close()       ? kClearLookbackRatio
                                               : effort_.estimate_error_ratio;
  const ChoiceList before = choices_;
  const std::size_t others = effort_.decode_weight > 0 ? 0
                             : attempts_close()        ? effort_.max_attempts
                                                       : 1;
  const std::size_t kept = choices_.prepend(lookback, others, ratio * best().bits);
  for (const Choice& dropped : before.all().subspan(kept)) {
    log_.dropped(dropped.mode, dropped.delta, DropReason::kEnoughOthers);
  }
}

// One distance for all numbers, or else a distance for each, if that saves more.
LookbackResult ChoiceSession::find_lookback(float bits, Choice& found) {
  if (!is_auto_delta() || !effort_.lookback || config_.recipe != nullptr) {
    return LookbackResult::kNotPromising;
  }
  Choice fixed;
  const bool has_fixed = find_fixed_lookback(bits, fixed);
  const LookbackResult result = search_lookback(bits, found);
  if (!has_fixed || (result == LookbackResult::kAccepted && found.bits < fixed.bits)) return result;
  found = fixed;
  return LookbackResult::kAccepted;
}

bool ChoiceSession::find_fixed_lookback(float bits, Choice& found) {
  const float decode_bits = effort_.decode_weight * (kLookbackNs + kCodesNs);
  LookbackInput input{page_n_, bits - decode_bits, is_auto_mode()};
  if (!has_enough_bits(input)) return false;
  if (!has_fixed_) {
    const ArenaScope scratch(arena_);
    fixed_ = internal::find_fixed_lookback(ordered_.slice(0, page_n_), estimates(), is_auto_mode(),
                                           arena_);
    has_fixed_ = true;
    if (fixed_) log_.estimated(fixed_->mode, lookback_for(page_n_), with_error(fixed_->bits));
  }
  if (!fixed_ || !accepts_fixed_lookback(*fixed_, input, found)) return false;
  found.bits += decode_bits;
  found.decode_bits = decode_bits;
  return true;
}

// Evaluates Lookback with up to three of the estimated modes, each against the least so far:
// 1. the best one that is not a dictionary;
// 2. unless cheap tests ruled that out, the best one that also keeps the numbers unsplit;
// 3. a dictionary, if it is the best mode and nothing was accepted. It comes last, since a
//    dictionary rarely helps if numbers repeat at a distance.
LookbackResult ChoiceSession::search_lookback(float bits, Choice& found) const {
  const auto first = [&](auto&& fits) {
    const auto estimate = std::find_if(estimates().begin(), estimates().end(), fits);
    return estimate == estimates().end() ? nullptr : &*estimate;
  };
  LookbackResult result = LookbackResult::kNotPromising;
  const auto search_with = [&](const Estimate& estimate) {
    Choice other;
    const LookbackResult own = try_lookback_with(estimate, bits, other);
    result = std::max(result, own);
    if (own != LookbackResult::kAccepted) return;
    found = other;
    bits = other.bits;
  };
  const Estimate* const plain = first([](const Estimate& estimate) { return !is_dict(estimate); });
  const Estimate* const unsplit = first(
      [](const Estimate& estimate) { return !is_dict(estimate) && !splits_numbers(estimate); });
  if (plain != nullptr) search_with(*plain);
  if (unsplit != plain && unsplit != nullptr && result != LookbackResult::kNotPromising) {
    search_with(*unsplit);
  }
  const Estimate& best = estimates()[0];
  if (is_dict(best) && (result != LookbackResult::kAccepted || plain == nullptr ||
                        best.bits < kClearDictRatio * plain->bits)) {
    search_with(best);
  }
  return result;
}

LookbackResult ChoiceSession::try_lookback_with(const Estimate& estimate, float bits,
                                                Choice& found) const {
  found = choice_of(estimate, 0);
  // Both the lookbacks and the deltas have codes.
  const float decode_bits = effort_.decode_weight * (kLookbackNs + 2 * kCodesNs);
  LookbackInput input{page_n_, bits - decode_bits, is_auto_mode(), &level_,
                      estimate.secondary_bits};
  input.repeats = repeats_;
  input.error_ratio = error_ratio(bits);
  const Arena::Mark mark = arena_.mark();
  const LookbackResult result = try_lookback(sample_, ordered_, input, found, arena_, log_);
  if (result == LookbackResult::kAccepted) {
    found.bits += decode_bits;
    found.decode_bits = decode_bits;
  } else {
    arena_.rewind(mark);
  }
  return result;
}

}  // namespace numpact::internal
