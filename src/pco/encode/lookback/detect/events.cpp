// SPDX-License-Identifier: Apache-2.0
// An event is a step other than the usual one. A hash identifies the last four events and the gaps
// between them. The distance to the latest position with the same hash is a period if it is the
// same for many events.
//
// Example: codes 5 5 5 8 8 8 5 5 5 8 8 8 ... have the usual step 0. The events +3 and -3 alternate
// with gaps of 3. Each event has the hash of the event 6 latents before: 6 is a period.
#include "pco/encode/lookback/detect/events.hpp"

#include <algorithm>
#include <bit>

#include "base/tuned.hpp"
#include "pco/encode/estimate/sample.hpp"
#include "pco/encode/lookback/match/hash_kernel.hpp"
#include "pco/stats/histogram.hpp"
#include "pco/stats/sort.hpp"

namespace numpact::internal {
namespace {

// Bounds the time of the test on long pages. A period must occur several times in the window.
constexpr std::size_t kMaxEventWindowN = std::size_t{1} << 18;
// Enough events to show a period; more only take time.
NUMPACT_TUNED(std::size_t, kMaxEventN, 2048);
// Once this many events were seen, more than one in kMinEventGapN latents is not rare: the test is
// given up, as the other tests suit such pages.
NUMPACT_TUNED(std::size_t, kGapCheckEventN, 256);
NUMPACT_TUNED(std::size_t, kMinEventGapN, 3);
// This many latents determine the usual step.
NUMPACT_TUNED(std::size_t, kUsualStepVoteN, 1024);
// Each event shifts the 64-bit hash by 16 bits, so it covers the last four.
NUMPACT_TUNED(unsigned, kEventHashShiftBits, 16);
// The table has 2^this slots, twice as many as there are events, so that few of them collide.
constexpr unsigned kEventSlotLog2 = 12;
// A distance is a candidate if at least this many events, and one in kEventDistanceOneIn, have it.
// Rarer ones occur by chance.
constexpr std::size_t kEventDistanceOneIn = 64;
NUMPACT_TUNED(std::size_t, kMinEventDistanceCountN, 4);
// Each period is compared with the page, so only the most frequent ones are kept.
NUMPACT_TUNED(std::size_t, kMaxEventPeriodN, 8);
// Latents compared to tell how well a period matches.
NUMPACT_TUNED(std::size_t, kMatchProbeN, 1024);
// Latents that are tested at once for events. Most blocks have none.
NUMPACT_TUNED(std::size_t, kEventBlockN, 32);

// The most frequent step, if more than half of the steps are equal: majority voting.
template <Latent L>
L usual_step(std::span<const L> latents) {
  L usual{};
  std::size_t votes = 0;
  const std::size_t n = std::min(latents.size(), kUsualStepVoteN);
  for (std::size_t i = 1; i < n; ++i) {
    const L step = static_cast<L>(latents[i] - latents[i - 1]);
    if (votes == 0) usual = step;
    votes = step == usual ? votes + 1 : votes - 1;
  }
  return usual;
}

// Whether the usual step leads to each of kEventBlockN latents. Readable from the one before on.
template <Latent L>
bool has_no_event(const L* latents, L usual) {
  L others = 0;
  for (std::size_t k = 0; k < kEventBlockN; ++k) {
    const L before = latents[static_cast<std::ptrdiff_t>(k) - 1];
    others = static_cast<L>(others | static_cast<L>(static_cast<L>(latents[k] - before) ^ usual));
  }
  return others == 0;
}

// For each event with an earlier one of the same hash, the distance to it. None if events are not
// rare.
template <Latent L>
std::span<const std::uint32_t> event_distances(std::span<const L> latents, Arena& arena) {
  const std::span<std::uint32_t> distances = arena.make<std::uint32_t>(kMaxEventN);
  const ArenaScope scratch(arena);
  const std::span<std::uint32_t> positions =
      arena.make<std::uint32_t>(std::size_t{1} << kEventSlotLog2);
  std::fill(positions.begin(), positions.end(), 0);
  const L usual = usual_step(latents);
  std::uint64_t hash = 0;
  std::size_t events = 0;
  std::size_t found = 0;
  std::size_t last = 0;
  for (std::size_t begin = 1; begin < latents.size(); begin += kEventBlockN) {
    const std::size_t end = std::min(begin + kEventBlockN, latents.size());
    if (end - begin == kEventBlockN && has_no_event(&latents[begin], usual)) continue;
    for (std::size_t i = begin; i < end; ++i) {
      const L step = static_cast<L>(latents[i] - latents[i - 1]);
      if (step == usual) continue;
      ++events;
      const std::uint64_t product =
          (std::uint64_t{step} * kLookbackHashFactor ^ (i - last)) * kLookbackHashFactor;
      hash = (hash << kEventHashShiftBits) + (product ^ product >> 32);
      last = i;
      std::uint32_t& position =
          positions[static_cast<std::size_t>(hash * kLookbackHashFactor >> (64 - kEventSlotLog2))];
      if (position != 0) distances[found++] = static_cast<std::uint32_t>(i) - position;
      position = static_cast<std::uint32_t>(i);
    }
    if (events >= kGapCheckEventN && events * kMinEventGapN > end) return {};
    if (events + kEventBlockN > kMaxEventN) break;
  }
  return distances.first(found);
}

struct DistanceCount {
  std::uint32_t distance;
  std::size_t count;
};

}  // namespace

std::size_t event_window_n(std::size_t page_n) { return std::min(page_n, kMaxEventWindowN); }

Periods find_event_periods(const LatentArray& window, Arena& arena) {
  const ArenaScope scratch(arena);
  const std::span<const std::uint32_t> found = window.visit([&](auto latents) {
    using L = typename decltype(latents)::value_type;
    return event_distances(std::span<const L>(latents), arena);
  });
  if (found.empty()) return {};
  const Range<std::uint32_t> range = range_of(found);
  const std::span<const std::uint32_t> distances =
      sorted_copy(found, range.lower, range.upper, arena);
  std::array<DistanceCount, kEventDistanceOneIn> frequent{};
  std::size_t n = 0;
  const std::size_t min_count =
      std::max(kMinEventDistanceCountN, distances.size() / kEventDistanceOneIn + 1);
  for (std::size_t begin = 0; begin < distances.size();) {
    std::size_t end = begin + 1;
    while (end < distances.size() && distances[end] == distances[begin]) ++end;
    if (end - begin >= min_count && distances[begin] > 1) {
      frequent[n++] = {distances[begin], end - begin};
    }
    begin = end;
  }
  std::sort(frequent.begin(), frequent.begin() + static_cast<std::ptrdiff_t>(n),
            [](const DistanceCount& a, const DistanceCount& b) {
              return a.count != b.count ? a.count > b.count : a.distance < b.distance;
            });
  Periods periods;
  for (const DistanceCount& one : std::span(frequent).first(std::min(n, kMaxEventPeriodN))) {
    periods.add(one.distance);
  }
  return periods;
}

Matches count_matches(const LatentArray& latents, std::size_t distance) {
  Matches matches;
  if (distance >= latents.n) return matches;
  return latents.visit([&](auto span) {
    matches.compared = std::min(kMatchProbeN, span.size() - distance);
    const EvenPositions places(span.size() - distance, matches.compared);
    for (std::size_t j = 0; j < matches.compared; ++j) {
      const std::size_t at = places[j];
      matches.equal += span[at] == span[at + distance] ? 1 : 0;
    }
    return matches;
  });
}

}  // namespace numpact::internal
