// SPDX-License-Identifier: Apache-2.0
#include "pco/encode/lookback/estimate.hpp"

#include <algorithm>
#include <array>

#include "base/tuned.hpp"
#include "pco/bins/binning.hpp"
#include "pco/encode/estimate/sample.hpp"
#include "pco/mode/split.hpp"

namespace numpact::internal {
namespace {

// One window for this many numbers of a page, within bounds: fewer represent the page badly, more
// take as long as the search that they are to avoid.
constexpr std::size_t kNumbersPerConfirmWindowN = std::size_t{1} << 15;
NUMPACT_TUNED(std::size_t, kMinConfirmWindows, 4);
NUMPACT_TUNED(std::size_t, kMaxConfirmWindows, 8);

// Estimates use 8 of 131 latents, within bounds: more from a long page, whose rare deltas recur.
// 131 is not a multiple of 8, so that a short stride meets every phase of a period in the data.
NUMPACT_TUNED(std::size_t, kMinSpacedN, 2047);
NUMPACT_TUNED(std::size_t, kMaxSpacedN, 8190);
NUMPACT_TUNED(std::size_t, kSpacedNumeratorN, 8);
NUMPACT_TUNED(std::size_t, kSpacedDenominatorN, 131);

std::size_t spaced_n(std::size_t n) {
  return std::min(
      n, std::clamp(n / kSpacedDenominatorN * kSpacedNumeratorN, kMinSpacedN, kMaxSpacedN));
}

template <Latent L>
LatentArray spaced_latents(std::span<const L> latents, Arena& arena) {
  const std::size_t n = spaced_n(latents.size());
  const std::span<L> spaced = arena.make<L>(n);
  const EvenPositions places(latents.size(), n);
  for (std::size_t i = 0; i < n; ++i) spaced[i] = latents[places[i]];
  return LatentArray(spaced);
}

// lookbacks: of the latents that follow the state.
template <Latent L>
LatentArray spaced_lookback_deltas(std::span<const L> latents,
                                   std::span<const std::uint32_t> lookbacks, Arena& arena) {
  const std::size_t n = spaced_n(lookbacks.size());
  const std::size_t state_n = latents.size() - lookbacks.size();
  const std::span<L> deltas = arena.make<L>(n);
  const EvenPositions places(lookbacks.size(), n);
  for (std::size_t j = 0; j < n; ++j) {
    const std::size_t at = places[j];
    const L* const latent = &latents[state_n + at];
    deltas[j] = static_cast<L>(*latent - *(latent - lookbacks[at]) + kMid<L>);
  }
  return LatentArray(deltas);
}

template <Latent L>
LatentArray spaced_consecutive_deltas(std::span<const L> latents, unsigned order, Arena& arena) {
  const std::size_t delta_n = latents.size() - order;
  const std::size_t n = spaced_n(delta_n);
  const std::span<L> deltas = arena.make<L>(n);
  const EvenPositions places(delta_n, n);
  for (std::size_t j = 0; j < n; ++j) {
    deltas[j] = static_cast<L>(difference_at(&latents[order + places[j]], order) + kMid<L>);
  }
  return LatentArray(deltas);
}

// spaced: a part of n latents.
float spaced_bits(const LatentArray& spaced, std::size_t n, Arena& arena) {
  const float scale = static_cast<float>(n) / static_cast<float>(spaced.n);
  return estimate_bits(spaced, scale, arena) / static_cast<float>(spaced.n);
}

// A few windows of the page, joined. Each is long enough to show near lookbacks.
LatentArray join_windows(const LatentArray& page, Arena& arena) {
  return page.visit([&](auto latents) {
    using L = typename decltype(latents)::value_type;
    const std::size_t windows = std::clamp(latents.size() / kNumbersPerConfirmWindowN,
                                           kMinConfirmWindows, kMaxConfirmWindows);
    const std::span<L> joined = arena.make<L>(windows * kConfirmWindowN);
    const EvenPositions places(latents.size() - kConfirmWindowN, windows);
    for (std::size_t k = 0; k < windows; ++k) {
      std::copy_n(latents.begin() + static_cast<std::ptrdiff_t>(places[k]), kConfirmWindowN,
                  joined.begin() + static_cast<std::ptrdiff_t>(k * kConfirmWindowN));
    }
    return LatentArray(joined);
  });
}

}  // namespace

float estimate_deltas(std::span<const std::uint32_t> lookbacks, const LatentArray& latents,
                      Arena& arena) {
  const ArenaScope scratch(arena);
  return latents.visit([&](auto span) {
    using L = typename decltype(span)::value_type;
    return spaced_bits(spaced_lookback_deltas(std::span<const L>(span), lookbacks, arena),
                       lookbacks.size(), arena);
  });
}

float estimate_plain(const LatentArray& latents, Arena& arena) {
  const ArenaScope scratch(arena);
  return latents.visit([&](auto span) {
    using L = typename decltype(span)::value_type;
    return spaced_bits(spaced_latents(std::span<const L>(span), arena), span.size(), arena);
  });
}

float estimate_without_lookback(const AnyDelta& delta, const LatentArray& latents, Arena& arena) {
  const ArenaScope scratch(arena);
  unsigned order = 0;
  if (const auto* const consecutive = std::get_if<Consecutive>(&delta)) {
    order = consecutive->order;
  } else if (!std::holds_alternative<NoDelta>(delta)) {
    return HUGE_VALF;
  }
  return latents.visit([&](auto span) {
    using L = typename decltype(span)::value_type;
    return spaced_bits(spaced_consecutive_deltas(std::span<const L>(span), order, arena),
                       span.size(), arena);
  });
}

SearchEstimate search_and_estimate(const Lookback& lookback, const LatentArray& latents,
                                   float give_up_bits, const SearchLevel& level,
                                   LookbackSample sample, Arena& arena) {
  SearchEstimate estimate;
  estimate.found = find_lookbacks(lookback, latents, arena, give_up_bits, level, sample);
  const std::span<const std::uint32_t> all = estimate.found.all;
  if (all.empty()) return estimate;
  const ArenaScope scratch(arena);
  estimate.lookback_bits = spaced_bits(spaced_latents(all, arena), latents.n, arena);
  estimate.delta_bits = estimate_deltas(all, latents, arena);
  return estimate;
}

WindowsEstimate look_back_in_windows(const LatentArray& page, const Choice& choice, float ratio,
                                     float secondary_bits, const SearchLevel& level, Arena& arena) {
  const ArenaScope scratch(arena);
  const SplitLatents latents = split(choice.mode, join_windows(page, arena), arena);
  const float without = estimate_without_lookback(choice.delta, latents.primary, arena);
  if (without == HUGE_VALF) return {true, HUGE_VALF};
  const float max_bits = ratio * (without + secondary_bits) - secondary_bits;
  const SearchEstimate estimate =
      search_and_estimate(lookback_for(latents.primary.n), latents.primary, max_bits, level,
                          LookbackSample::kNeighbours, arena);
  const bool is_found = !estimate.found.all.empty();
  const float bits = is_found                  ? estimate.total_bits()
                     : estimate.found.bits > 0 ? estimate.found.bits
                                               : HUGE_VALF;
  return {is_found && bits < max_bits, (bits + secondary_bits) / (without + secondary_bits)};
}

}  // namespace numpact::internal
