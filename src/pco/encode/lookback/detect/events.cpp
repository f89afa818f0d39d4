// SPDX-License-Identifier: Apache-2.0
// An event is a step other than the usual one. A few events in a row, with the gaps between them,
// are told by a hash; how far back the last ones of the same hash were is a period where that is
// always as far.
#include "pco/encode/lookback/detect/events.hpp"

#include <algorithm>
#include <bit>

#include "pco/encode/estimate/sample.hpp"
#include "pco/stats/histogram.hpp"
#include "pco/stats/sort.hpp"

namespace numpact {
namespace {

constexpr std::size_t kMaxStretchN = std::size_t{1} << 18;
constexpr std::size_t kMaxEvents = 2048;
// With more than one in so many, once there are some, steps are not rare.
constexpr std::size_t kLeastGap = 3;
constexpr std::size_t kSomeEvents = 256;
// Steps that tell which is the usual one.
constexpr std::size_t kVotes = 1024;
constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15u;
// What the hash is shifted by for each event: four are in it.
constexpr unsigned kEventBits = 16;
constexpr unsigned kSlotLog = 12;
// A distance is frequent that one in so many is.
constexpr std::size_t kOftenShare = 64;
constexpr std::size_t kLeastOften = 4;
constexpr std::size_t kMostPeriods = 8;
constexpr std::size_t kMatchedN = 1024;

// By votes: the step that most are, if most are the same.
template <Latent L>
L usual_step(std::span<const L> latents) {
  L usual{};
  std::size_t votes = 0;
  const std::size_t n = std::min(latents.size(), kVotes);
  for (std::size_t i = 1; i < n; ++i) {
    const L step = static_cast<L>(latents[i] - latents[i - 1]);
    if (votes == 0) usual = step;
    votes = step == usual ? votes + 1 : votes - 1;
  }
  return usual;
}

// Whether the usual step leads to each of so many latents.
constexpr std::size_t kQuietN = 32;
template <Latent L>
bool is_quiet(const L* latents, L usual) {
  L others = 0;
  for (std::size_t k = 0; k < kQuietN; ++k) {
    const L before = latents[static_cast<std::ptrdiff_t>(k) - 1];
    others = static_cast<L>(others | static_cast<L>(static_cast<L>(latents[k] - before) ^ usual));
  }
  return others == 0;
}

// How far before each event the last one of the same hash was; none if events are not rare.
template <Latent L>
std::span<const std::uint32_t> event_distances(std::span<const L> latents, Arena& arena) {
  const std::span<std::uint32_t> distances = arena.make<std::uint32_t>(kMaxEvents);
  const ArenaScope scratch(arena);
  const std::span<std::uint32_t> positions = arena.make<std::uint32_t>(std::size_t{1} << kSlotLog);
  std::fill(positions.begin(), positions.end(), 0);
  const L usual = usual_step(latents);
  std::uint64_t hash = 0;
  std::size_t events = 0;
  std::size_t found = 0;
  std::size_t last = 0;
  for (std::size_t begin = 1; begin < latents.size(); begin += kQuietN) {
    const std::size_t end = std::min(begin + kQuietN, latents.size());
    if (end - begin == kQuietN && is_quiet(&latents[begin], usual)) continue;
    for (std::size_t i = begin; i < end; ++i) {
      const L step = static_cast<L>(latents[i] - latents[i - 1]);
      if (step == usual) continue;
      ++events;
      const std::uint64_t product = (std::uint64_t{step} * kFactor ^ (i - last)) * kFactor;
      hash = (hash << kEventBits) + (product ^ product >> 32);
      last = i;
      std::uint32_t& position =
          positions[static_cast<std::size_t>(hash * kFactor >> (64 - kSlotLog))];
      if (position != 0) distances[found++] = static_cast<std::uint32_t>(i) - position;
      position = static_cast<std::uint32_t>(i);
    }
    if (events >= kSomeEvents && events * kLeastGap > end) return {};
    if (events + kQuietN > kMaxEvents) break;
  }
  return distances.first(found);
}

struct Counted {
  std::uint32_t distance;
  std::size_t count;
};

}  // namespace

std::size_t event_stretch_n(std::size_t page_n) { return std::min(page_n, kMaxStretchN); }

Periods find_event_periods(const LatentArray& stretch, Arena& arena) {
  const ArenaScope scratch(arena);
  const std::span<const std::uint32_t> found = stretch.visit([&](auto latents) {
    using L = typename decltype(latents)::value_type;
    return event_distances(std::span<const L>(latents), arena);
  });
  if (found.empty()) return {};
  const Range<std::uint32_t> range = range_of(found);
  const std::span<const std::uint32_t> distances =
      sorted_copy(found, range.lower, range.upper, arena);
  std::array<Counted, kOftenShare> frequent{};
  std::size_t n = 0;
  const std::size_t often = std::max(kLeastOften, distances.size() / kOftenShare + 1);
  for (std::size_t begin = 0; begin < distances.size();) {
    std::size_t end = begin + 1;
    while (end < distances.size() && distances[end] == distances[begin]) ++end;
    if (end - begin >= often && distances[begin] > 1)
      frequent[n++] = {distances[begin], end - begin};
    begin = end;
  }
  std::sort(frequent.begin(), frequent.begin() + static_cast<std::ptrdiff_t>(n),
            [](const Counted& a, const Counted& b) {
              return a.count != b.count ? a.count > b.count : a.distance < b.distance;
            });
  Periods periods;
  for (const Counted& one : std::span(frequent).first(std::min(n, kMostPeriods))) {
    periods.add(one.distance);
  }
  return periods;
}

Matches count_matches(const LatentArray& latents, std::size_t distance) {
  Matches matches;
  if (distance >= latents.n) return matches;
  return latents.visit([&](auto span) {
    matches.looked = std::min(kMatchedN, span.size() - distance);
    const EvenPlaces places(span.size() - distance, matches.looked);
    for (std::size_t j = 0; j < matches.looked; ++j) {
      const std::size_t at = places[j];
      matches.same += span[at] == span[at + distance] ? 1 : 0;
    }
    return matches;
  });
}

}  // namespace numpact
