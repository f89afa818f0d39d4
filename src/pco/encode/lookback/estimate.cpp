// SPDX-License-Identifier: Apache-2.0
#include "pco/encode/lookback/estimate.hpp"

#include <algorithm>
#include <array>

#include "pco/bins/binning.hpp"
#include "pco/encode/estimate/sample.hpp"
#include "pco/mode/split.hpp"

namespace numpact {
namespace {

// Stretches of a page: one of so many latents, within bounds.
constexpr std::size_t kOneStretchIn = std::size_t{1} << 15;
constexpr std::size_t kFewestStretches = 4;
constexpr std::size_t kMostStretches = 8;

// Latents that are weighed: of long pages more, whose rare deltas come again. Where the stride is
// short it is no whole one, so that all phases of periods in the data are met.
constexpr std::size_t kWeighedN = 2047;
constexpr std::size_t kMostWeighedN = 8190;
constexpr std::size_t kWeighed = 8;
constexpr std::size_t kWeighedOf = 131;

std::size_t weighed_n(std::size_t n) {
  return std::min(n, std::clamp(n / kWeighedOf * kWeighed, kWeighedN, kMostWeighedN));
}

// Evenly spaced latents: enough for their distribution.
template <Latent L>
LatentArray thin_out(std::span<const L> latents, Arena& arena) {
  const std::size_t n = weighed_n(latents.size());
  const std::span<L> thin = arena.make<L>(n);
  const EvenPlaces places(latents.size(), n);
  for (std::size_t i = 0; i < n; ++i) thin[i] = latents[places[i]];
  return LatentArray(thin);
}

// The deltas of evenly spaced latents: enough for their distribution.
template <Latent L>
LatentArray some_deltas(std::span<const L> latents, std::span<const std::uint32_t> lookbacks,
                        Arena& arena) {
  const std::size_t n = weighed_n(lookbacks.size());
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

// Consecutive deltas of evenly spaced latents.
template <Latent L>
LatentArray some_differences(std::span<const L> latents, unsigned order, Arena& arena) {
  const std::size_t room = latents.size() - order;
  const std::size_t n = weighed_n(room);
  const std::span<L> deltas = arena.make<L>(n);
  const EvenPlaces places(room, n);
  for (std::size_t j = 0; j < n; ++j) {
    deltas[j] = static_cast<L>(difference_at(&latents[order + places[j]], order) + kMid<L>);
  }
  return LatentArray(deltas);
}

// Some stretches of a page, one after the other: enough for what is close by.
LatentArray take_stretches(const LatentArray& page, Arena& arena) {
  return page.visit([&](auto latents) {
    using L = typename decltype(latents)::value_type;
    const std::size_t stretches =
        std::clamp(latents.size() / kOneStretchIn, kFewestStretches, kMostStretches);
    const std::span<L> some = arena.make<L>(stretches * kStretchN);
    const EvenPlaces places(latents.size() - kStretchN, stretches);
    for (std::size_t k = 0; k < stretches; ++k) {
      std::copy_n(latents.begin() + static_cast<std::ptrdiff_t>(places[k]), kStretchN,
                  some.begin() + static_cast<std::ptrdiff_t>(k * kStretchN));
    }
    return LatentArray(some);
  });
}

}  // namespace

float weigh_deltas(std::span<const std::uint32_t> lookbacks, const LatentArray& latents,
                   Arena& arena) {
  const ArenaScope scratch(arena);
  return latents.visit([&](auto span) {
    using L = typename decltype(span)::value_type;
    return bits_each(some_deltas(std::span<const L>(span), lookbacks, arena), lookbacks.size(),
                     arena);
  });
}

float weigh_plain(const LatentArray& latents, Arena& arena) {
  const ArenaScope scratch(arena);
  return latents.visit([&](auto span) {
    using L = typename decltype(span)::value_type;
    return bits_each(thin_out(std::span<const L>(span), arena), span.size(), arena);
  });
}

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

bool stretches_look_back(const LatentArray& page, const Choice& choice, float share,
                         float secondary_bits, unsigned level, Arena& arena) {
  const ArenaScope scratch(arena);
  const SplitLatents latents = split(choice.mode, take_stretches(page, arena), arena);
  const float as_is = weigh_as_is(choice.delta, latents.primary, arena);
  if (as_is == HUGE_VALF) return true;
  const float most = share * (as_is + secondary_bits) - secondary_bits;
  const Looked looked = look(lookback_for(latents.primary.n), latents.primary, most, level,
                             LookbackSample::kNeighbours, arena);
  return !looked.found.all.empty() && looked.all_bits() < most;
}

}  // namespace numpact
