// SPDX-License-Identifier: Apache-2.0
#include "pco/encode/lookback/evaluate.hpp"

#include <algorithm>
#include <cmath>

#include "pco/encode/lookback/estimate.hpp"
#include "pco/encode/lookback/prefilter.hpp"
#include "pco/mode/split.hpp"

namespace numpact {
namespace {

// Fewer hold no two periods that are worth the metadata of lookbacks.
constexpr std::size_t kMinPageN = 32;
// With less for each number there is little to save.
constexpr float kMinBitsPerNumber = 0.02f;
constexpr float kMinPageBits = 768;
// Of one of many parts a search takes longer than what it may save is worth.
constexpr float kMinPartBits = 4096;
// Lookback decodes slower than the other deltas: it must save this share.
constexpr float kToll = 0.02f;
// But no more than so many bits.
constexpr float kMostToll = 0.9f;
// Beside Conv1, which decodes slowly as well.
constexpr float kTollBesideConv1 = 0.01f;
// Of evenly spaced latents and of a sample one must be wrong if they differ by more: a share, or so
// many bits.
constexpr float kDoubtful = 0.1f;
constexpr float kDoubtfulBits = 2;
// Lookbacks that take so much more than the search thought are sought by a sample apart, too.
constexpr float kMisled = 1.3f;
// Unless they take less than this share of what is known.
constexpr float kFarBelow = 0.6f;
// By the costs that the search learned, more than this over is too much where size counts for most;
// below it must save the toll. Beside Conv1, which follows periods as well, what was learned is too
// high by more.
constexpr float kHopelessForSize = 1.02f;
constexpr float kHopelessBesideConv1 = 1.12f;

// What a number takes of a dictionary's entries, looking back or not.
float entry_bits(const AnyMode& mode, const LatentArray& ordered) {
  const auto* const dict = std::get_if<Dict>(&mode);
  if (dict == nullptr) return 0;
  return static_cast<float>(dict->count * ordered.bits) / static_cast<float>(ordered.n);
}

}  // namespace

LookbackVerdict try_lookback(const Sample& sample, const LatentArray& ordered, const Trial& whole,
                             Choice& choice, Arena& arena) {
  Trial trial = whole;
  trial.bits -= entry_bits(choice.mode, ordered);
  trial.sampled_bits = choice.bits - entry_bits(choice.mode, ordered);
  const std::size_t page_n = trial.page_n;
  const bool is_beside_conv1 = std::holds_alternative<Conv1>(choice.delta);
  const float toll = is_beside_conv1 ? kTollBesideConv1 : kToll;
  const float bits = trial.bits;
  if (page_n < kMinPageN || bits < kMinBitsPerNumber) return LookbackVerdict::kUnlikely;
  const float least_bits = trial.is_part ? kMinPartBits : kMinPageBits;
  if (bits * static_cast<float>(page_n) < least_bits) return LookbackVerdict::kUnlikely;
  const LatentArray page = ordered.slice(0, page_n);
  if (!may_look_back(sample, page, choice, trial, arena)) return LookbackVerdict::kUnlikely;
  Lookback lookback = lookback_for(page_n);
  const bool covers_chunk = page_n == ordered.n;
  // Kept beyond this call if the choice falls on them.
  const std::span<std::uint32_t> lookbacks =
      arena.make<std::uint32_t>(page_n > 1 ? page_n - lookback.state_n() : 0);
  const ArenaScope scratch(arena);
  const SplitLatents latents = split(choice.mode, page, arena);
  // A sample of runs takes what comes again and again within them for frequent; one of all that is
  // to be encoded is weighed as it is.
  const bool is_all = covers_chunk && sample.latents.n == ordered.n;
  const float as_is =
      is_all ? trial.sampled_bits
             : weigh_as_is(choice.delta, latents.primary, arena) + trial.secondary_bits;
  const float doubtful = std::min(kDoubtful * trial.sampled_bits, kDoubtfulBits);
  const bool is_doubtful = as_is < HUGE_VALF && as_is > trial.sampled_bits + doubtful;
  const float known_bits = is_doubtful ? bits * as_is / trial.sampled_bits : bits;
  // The secondary variable may repeat too.
  const float known_primary = std::max(known_bits - trial.secondary_bits, known_bits / 2);
  const float most = is_beside_conv1 ? kHopelessBesideConv1 * known_primary
                     : trial.level < kLevelForSize
                         ? known_primary - std::min(toll * known_primary, kMostToll)
                         : kHopelessForSize * known_primary;
  const float other_bits = std::min(known_bits, as_is);
  Looked looked =
      look(lookback, latents.primary, most, trial.level, LookbackSample::kNeighbours, arena);
  if (looked.found.all.empty()) {
    const bool saves = looked.found.bits > 0 && looked.found.bits < known_primary;
    return saves ? LookbackVerdict::kTooLittle : LookbackVerdict::kLost;
  }
  const float least = std::max(kMisled * looked.found.bits, kFarBelow * other_bits);
  if (looked.all_bits() > least && !looked.found.samples_agree) {
    const Looked apart =
        look(lookback, latents.primary, most, trial.level, LookbackSample::kApart, arena);
    if (!apart.found.all.empty() && apart.all_bits() < looked.all_bits()) looked = apart;
  }
  const float lookback_bits = looked.lookback_bits;
  if (lookback_bits >= other_bits) return LookbackVerdict::kLost;
  std::copy(looked.found.all.begin(), looked.found.all.end(), lookbacks.begin());
  float best_bits = looked.all_bits();
  AnyMode mode = choice.mode;
  if (latents.secondary.exists()) {
    if (best_bits < other_bits) {
      const float plain_bits = weigh_plain(latents.secondary, arena);
      const float delta_bits = weigh_deltas(lookbacks, latents.secondary, arena);
      lookback.secondary = delta_bits < plain_bits;
      best_bits += std::min(plain_bits, delta_bits);
    }
    // Where whole numbers repeat, splitting them only adds corrections.
    const float classic_bits = lookback_bits + weigh_deltas(lookbacks, page, arena);
    if (trial.may_change_mode && classic_bits < best_bits) {
      best_bits = classic_bits;
      mode = Classic{};
      lookback.secondary = false;
    }
  }
  if (best_bits >= other_bits) return LookbackVerdict::kLost;
  const float least_saving = std::min(toll * other_bits, kMostToll);
  if (best_bits >= other_bits - least_saving) return LookbackVerdict::kTooLittle;
  choice.mode = mode;
  choice.delta = lookback;
  choice.bits = best_bits + entry_bits(mode, ordered);
  if (covers_chunk) choice.lookbacks = lookbacks;
  return LookbackVerdict::kTaken;
}

}  // namespace numpact
