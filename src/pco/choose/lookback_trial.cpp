// SPDX-License-Identifier: Apache-2.0
#include "pco/choose/lookback_trial.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "pco/choose/binning.hpp"
#include "pco/choose/lookback_gate.hpp"
#include "pco/choose/lookback_search.hpp"
#include "pco/choose/sample.hpp"
#include "pco/mode/split.hpp"

namespace numpact {
namespace {

constexpr std::size_t kMinPageN = 256;
// With less for each number there is little to save.
constexpr float kMinBits = 0.02f;
constexpr float kMinPageBits = 768;
constexpr std::size_t kWeighedN = 2048;
// Lookback decodes slower than the other deltas: it must save this share.
constexpr float kToll = 0.05f;
constexpr float kTollForSize = 0.02f;
// Beside Conv1, which decodes slowly as well.
constexpr float kTollBesideConv1 = 0.01f;
// Of evenly spaced latents and of a sample one must be wrong if they differ by more.
constexpr float kDoubtful = 1.1f;
// Lookbacks that take so much more than the search thought are sought by a sample apart, too.
constexpr float kMisled = 1.3f;
// Unless they take less than this share of what is known.
constexpr float kFarBelow = 0.6f;
// By the costs that the search learned, more than this over is too much.
constexpr float kHopeless = 1.02f;

// Evenly spaced latents: enough for their distribution.
template <Latent L>
LatentArray thin_out(std::span<const L> latents, Arena& arena) {
  const std::size_t n = std::min(latents.size(), kWeighedN);
  const std::span<L> thin = arena.make<L>(n);
  const EvenPlaces places(latents.size(), n);
  for (std::size_t i = 0; i < n; ++i) thin[i] = latents[places[i]];
  return LatentArray(thin);
}

// The deltas of evenly spaced latents: enough for their distribution.
template <Latent L>
LatentArray some_deltas(std::span<const L> latents, std::span<const std::uint32_t> lookbacks,
                        Arena& arena) {
  const std::size_t n = std::min(lookbacks.size(), kWeighedN);
  const std::size_t state_n = latents.size() - lookbacks.size();
  const std::span<L> deltas = arena.make<L>(n);
  const EvenPlaces places(lookbacks.size(), n);
  for (std::size_t j = 0; j < n; ++j) {
    const std::size_t at = places[j];
    const L* const latent = &latents[state_n + at];
    deltas[j] = static_cast<L>(*latent - *(latent - lookbacks[at]) + kMid<L>);
  }
  return LatentArray(deltas);
}

float bits_each(const LatentArray& some, std::size_t n, Arena& arena) {
  const float scale = static_cast<float>(n) / static_cast<float>(some.n);
  return estimate_bits(some, scale, arena) / static_cast<float>(some.n);
}

// Bits for each latent of a variable that is encoded by the lookbacks.
float weigh_deltas(std::span<const std::uint32_t> lookbacks, const LatentArray& latents,
                   Arena& arena) {
  const ArenaScope scratch(arena);
  return latents.visit([&](auto span) {
    using L = typename decltype(span)::value_type;
    return bits_each(some_deltas(std::span<const L>(span), lookbacks, arena), lookbacks.size(),
                     arena);
  });
}

// And of one that is not.
float weigh_plain(const LatentArray& latents, Arena& arena) {
  const ArenaScope scratch(arena);
  return latents.visit([&](auto span) {
    using L = typename decltype(span)::value_type;
    return bits_each(thin_out(std::span<const L>(span), arena), span.size(), arena);
  });
}

// Consecutive deltas of evenly spaced latents.
template <Latent L>
LatentArray some_differences(std::span<const L> latents, unsigned order, Arena& arena) {
  const std::size_t room = latents.size() - order;
  const std::size_t n = std::min(room, kWeighedN);
  const std::span<L> deltas = arena.make<L>(n);
  const EvenPlaces places(room, n);
  std::array<L, kMaxConsecutiveOrder + 1> last;
  for (std::size_t j = 0; j < n; ++j) {
    const std::size_t end = order + places[j];
    for (std::size_t k = 0; k <= order; ++k) last[k] = latents[end - k];
    for (unsigned round = 0; round < order; ++round) {
      for (std::size_t k = 0; k + round < order; ++k) {
        last[k] = static_cast<L>(last[k] - last[k + 1]);
      }
    }
    deltas[j] = static_cast<L>(last[0] + kMid<L>);
  }
  return LatentArray(deltas);
}

// Bits for each latent under the choice as it is, from places as those looking back is weighed by,
// so that luck with them decides less. Infinite if that cannot be told.
float weigh_as_is(const AnyDelta& delta, const LatentArray& latents, Arena& arena) {
  const ArenaScope scratch(arena);
  unsigned order = 0;
  if (const auto* const consecutive = std::get_if<Consecutive>(&delta)) {
    order = consecutive->order;
  } else if (!std::holds_alternative<NoDelta>(delta)) {
    return HUGE_VALF;
  }
  return latents.visit([&](auto span) {
    using L = typename decltype(span)::value_type;
    return bits_each(some_differences(std::span<const L>(span), order, arena), span.size(), arena);
  });
}

// Lookbacks that were found, and what each latent takes by evenly spaced ones.
struct Looked {
  FoundLookbacks found;
  float lookback_bits = 0;
  float delta_bits = 0;

  float all_bits() const { return lookback_bits + delta_bits; }
};

Looked look(const Lookback& lookback, const LatentArray& latents, float most, unsigned level,
            LookbackSample sample, Arena& arena) {
  Looked looked;
  looked.found = find_lookbacks(lookback, latents, arena, most, level, sample);
  const std::span<const std::uint32_t> all = looked.found.all;
  if (all.empty()) return looked;
  const ArenaScope scratch(arena);
  looked.lookback_bits = bits_each(thin_out(all, arena), latents.n, arena);
  looked.delta_bits = weigh_deltas(all, latents, arena);
  return looked;
}

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
  const std::size_t page_n = trial.page_n;
  const float toll = std::holds_alternative<Conv1>(choice.delta) ? kTollBesideConv1
                     : trial.level < kLevelForSize               ? kToll
                                                                 : kTollForSize;
  const float bits = trial.bits;
  if (page_n < kMinPageN || bits < kMinBits) return LookbackVerdict::kUnlikely;
  if (bits * static_cast<float>(page_n) < kMinPageBits) return LookbackVerdict::kUnlikely;
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
  const float sampled_bits = choice.bits - entry_bits(choice.mode, ordered);
  const float as_is =
      is_all ? sampled_bits
             : weigh_as_is(choice.delta, latents.primary, arena) + trial.secondary_bits;
  const bool is_doubtful = as_is < HUGE_VALF && as_is > kDoubtful * sampled_bits;
  const float known_bits = is_doubtful ? bits * as_is / sampled_bits : bits;
  // The secondary variable may repeat too.
  const float most = kHopeless * std::max(known_bits - trial.secondary_bits, known_bits / 2);
  const float other_bits = std::min(known_bits, as_is);
  Looked looked =
      look(lookback, latents.primary, most, trial.level, LookbackSample::kNeighbours, arena);
  if (looked.found.all.empty()) return LookbackVerdict::kLost;
  const float least = std::max(kMisled * looked.found.bits, kFarBelow * other_bits);
  if (looked.all_bits() > least) {
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
  if (best_bits >= (1 - toll) * other_bits) return LookbackVerdict::kTooLittle;
  choice.mode = mode;
  choice.delta = lookback;
  choice.bits = best_bits + entry_bits(mode, ordered);
  if (covers_chunk) choice.lookbacks = lookbacks;
  return LookbackVerdict::kTaken;
}

}  // namespace numpact
