// SPDX-License-Identifier: Apache-2.0
#include "pco/encode/lookback/evaluate.hpp"

#include <algorithm>
#include <cmath>

#include "base/tuned.hpp"
#include "pco/encode/lookback/estimate.hpp"
#include "pco/encode/lookback/prefilter.hpp"
#include "pco/mode/split.hpp"

namespace numpact::internal {
namespace {

// The thresholds were set by the sizes of the shared columns (`./dev bench sizes`) against the time
// to encode them (`./dev bench levels`). Figures in comments are of the commit that set the value.

// A page of fewer numbers holds no two periods that are worth the metadata of lookbacks.
NUMPACT_TUNED(std::size_t, kMinLookbackPageN, 32);
// A page of fewer bits in all cannot pay for the metadata of lookbacks: a variable of four bins
// takes about 200 bits, and saves only a part of the page.
NUMPACT_TUNED(float, kMinLookbackPageBits, 768);
// Lookback decodes slower than the other deltas, so it must save this share. Higher shares mean
// larger files that decode faster: twice of it
// makes 0.008 % more bytes, half of it as many.
NUMPACT_TUNED(float, kLookbackPenaltyShare, 0.02f);
// Caps that saving for numbers of many bits, which hardly take longer to decode than others.
NUMPACT_TUNED(float, kMaxLookbackPenaltyBitsPerNumber, 0.9f);
// The metadata of a lookback variable of one bin, in bits per page.
NUMPACT_TUNED(float, kFixedLookbackBits, 64);
// If evenly spaced latents take more than the sample by this ratio, the sample is wrong, and the
// evenly spaced ones decide.
NUMPACT_TUNED(float, kMaxSampleErrorRatio, 1.1f);
// If lookbacks take more than the search estimated by this factor, its costs were biased by latents
// that are equal because they are neighbours. A second search then learns from latents that lie
// apart.
NUMPACT_TUNED(float, kMaxSearchErrorRatio, 1.3f);
// No second search below this ratio of the bits without Lookback: the first result is good enough.
NUMPACT_TUNED(float, kClearlyBetterRatio, 0.6f);

// Bits per number of a dictionary's entries, with or without Lookback.
float entry_bits(const AnyMode& mode, const LatentArray& ordered) {
  const auto* const dict = std::get_if<Dict>(&mode);
  if (dict == nullptr) return 0;
  return static_cast<float>(dict->count * ordered.bits) / static_cast<float>(ordered.n);
}

// Bits per number without Lookback.
struct BitsWithout {
  float bits;          // the lower of the estimates that are trusted
  float primary_bits;  // at least half of them, as the secondary variable may repeat too
};

// A sample of runs takes values that recur within its runs for frequent in the page. So the primary
// latents are estimated once more from evenly spaced ones, unless the sample holds all numbers.
BitsWithout estimate_without(const LookbackInput& input, const AnyDelta& delta,
                             const LatentArray& primary, bool is_sample_all, Arena& arena) {
  const float spaced =
      is_sample_all ? input.sampled_bits
                    : estimate_without_lookback(delta, primary, arena) + input.secondary_bits;
  const bool is_sample_wrong =
      spaced < HUGE_VALF && spaced > kMaxSampleErrorRatio * input.sampled_bits;
  const float known = is_sample_wrong ? input.bits * spaced / input.sampled_bits : input.bits;
  return {std::min(known, spaced), std::max(known - input.secondary_bits, known / 2)};
}

// What Lookback must save, against these bits per number without it.
float lookback_penalty(float bits) {
  return std::min(kLookbackPenaltyShare * bits, kMaxLookbackPenaltyBitsPerNumber);
}

// Where the search gives up, in bits of a primary latent.
float give_up_bits(float give_up_ratio, float primary_bits) {
  if (give_up_ratio > 0) return give_up_ratio * primary_bits;
  return primary_bits - lookback_penalty(primary_bits);
}

// The better of up to two searches.
SearchEstimate search_lookbacks(const Lookback& lookback, const LatentArray& primary, float give_up,
                                float bits_without, const Level& level, Arena& arena) {
  SearchEstimate best = search_and_estimate(lookback, primary, give_up, level.search,
                                            LookbackSample::kNeighbours, arena);
  if (best.found.all.empty() || best.found.samples_agree) return best;
  const float max_bits =
      std::max(kMaxSearchErrorRatio * best.found.bits, kClearlyBetterRatio * bits_without);
  if (best.total_bits() > max_bits) {
    const SearchEstimate apart = search_and_estimate(lookback, primary, give_up, level.search,
                                                     LookbackSample::kApart, arena);
    if (!apart.found.all.empty() && apart.total_bits() < best.total_bits()) best = apart;
  }
  return best;
}

// An encoding of the numbers with given lookbacks.
struct LookbackEncoding {
  AnyMode mode;
  bool delta_encodes_secondary = false;
  float bits;  // per number, without the entries of a dictionary
};

// Adds the secondary variable, with or without deltas, or changes to Classic: where whole numbers
// repeat, splitting them only adds corrections.
LookbackEncoding choose_encoding(const SplitLatents& latents, const LatentArray& page,
                                 const AnyMode& mode, const SearchEstimate& estimate,
                                 std::span<const std::uint32_t> lookbacks,
                                 const LookbackInput& input, float bits_without, Arena& arena) {
  LookbackEncoding best{mode, false, estimate.total_bits()};
  if (!latents.secondary.exists()) return best;
  if (best.bits < bits_without) {
    const float plain_bits = estimate_plain(latents.secondary, arena);
    const float delta_bits = estimate_deltas(lookbacks, latents.secondary, arena);
    best.delta_encodes_secondary = delta_bits < plain_bits;
    best.bits += std::min(plain_bits, delta_bits);
  } else {
    best.bits += input.secondary_bits;
  }
  const float classic_bits = estimate.lookback_bits + estimate_deltas(lookbacks, page, arena);
  if (input.may_change_mode && classic_bits < best.bits) return {Classic{}, false, classic_bits};
  return best;
}

void log_failed(const PrefilterResult& prefilter, const AnyMode& mode, const Lookback& lookback,
                const LatentArray& ordered, const ChoiceLog& log) {
  if (prefilter.min_bits == HUGE_VALF) return;
  const float bits = prefilter.min_bits + entry_bits(mode, ordered);
  log.estimated(mode, lookback, {bits, prefilter.required_bits});
  log.dropped(mode, lookback, DropReason::kNotRepetitive);
}

}  // namespace

bool has_enough_bits(const LookbackInput& input) {
  if (input.page_n < kMinLookbackPageN) return false;
  return input.bits * static_cast<float>(input.page_n) >= kMinLookbackPageBits;
}

bool accepts_fixed_lookback(const FixedLookback& fixed, const LookbackInput& input,
                            Choice& choice) {
  const float meta_bits = kFixedLookbackBits / static_cast<float>(input.page_n);
  if (fixed.bits + meta_bits >= input.bits - lookback_penalty(input.bits)) return false;
  Lookback lookback = lookback_for(input.page_n);
  lookback.secondary = fixed.secondary;
  choice = {fixed.mode, lookback, {}, fixed.bits + meta_bits, 0, fixed.distance};
  return true;
}

LookbackResult try_lookback(const Sample& sample, const LatentArray& ordered,
                            const LookbackInput& given, Choice& choice, Arena& arena,
                            const ChoiceLog& log) {
  LookbackInput input = given;
  input.bits -= entry_bits(choice.mode, ordered);
  input.sampled_bits = choice.bits - entry_bits(choice.mode, ordered);
  if (!has_enough_bits(input)) return LookbackResult::kNotPromising;
  const LatentArray page = ordered.slice(0, input.page_n);
  Lookback lookback = lookback_for(page.n);
  const PrefilterResult prefilter = prefilter_lookback(sample, page, choice, input, arena);
  if (!prefilter.passes) {
    log_failed(prefilter, choice.mode, lookback, ordered, log);
    return LookbackResult::kNotPromising;
  }
  // They outlive this call if they are accepted.
  const std::span<std::uint32_t> lookbacks =
      arena.make<std::uint32_t>(page.n > 1 ? page.n - lookback.state_n() : 0);
  const ArenaScope scratch(arena);
  const SplitLatents latents = split(choice.mode, page, arena);
  const bool covers_chunk = page.n == ordered.n;
  const bool is_sample_all = covers_chunk && sample.latents.n == ordered.n;
  const BitsWithout without =
      estimate_without(input, choice.delta, latents.primary, is_sample_all, arena);

  const float give_up = give_up_bits(input.level->lookback.give_up_ratio, without.primary_bits);
  const SearchEstimate estimate =
      search_lookbacks(lookback, latents.primary, give_up, without.bits, *input.level, arena);
  const auto log_bits = [&](const AnyMode& mode, float bits) {
    bits += entry_bits(mode, ordered);
    log.estimated(mode, lookback, {bits, (input.error_ratio - 1) * bits});
  };
  const auto log_primary = [&](float primary_bits) {
    log_bits(choice.mode, primary_bits + input.secondary_bits);
  };
  if (estimate.found.all.empty()) {
    if (estimate.found.bits > 0) log_primary(estimate.found.bits);
    const bool saves = estimate.found.bits > 0 && estimate.found.bits < without.primary_bits;
    if (!saves) return LookbackResult::kWorse;
    log.dropped(choice.mode, lookback, DropReason::kDecodesSlowly);
    return LookbackResult::kBelowMargin;
  }
  if (estimate.lookback_bits >= without.bits) {
    log_primary(estimate.total_bits());
    return LookbackResult::kWorse;
  }
  std::copy(estimate.found.all.begin(), estimate.found.all.end(), lookbacks.begin());

  const LookbackEncoding best =
      choose_encoding(latents, page, choice.mode, estimate, lookbacks, input, without.bits, arena);
  lookback.secondary = best.delta_encodes_secondary;
  log_bits(best.mode, best.bits);
  if (best.bits >= without.bits) return LookbackResult::kWorse;
  if (best.bits >= without.bits - lookback_penalty(without.bits)) {
    log.dropped(best.mode, lookback, DropReason::kDecodesSlowly);
    return LookbackResult::kBelowMargin;
  }
  choice.mode = best.mode;
  choice.delta = lookback;
  choice.bits = best.bits + entry_bits(best.mode, ordered);
  if (covers_chunk) choice.lookbacks = lookbacks;
  return LookbackResult::kAccepted;
}

}  // namespace numpact::internal
