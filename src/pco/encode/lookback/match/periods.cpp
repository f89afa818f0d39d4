// SPDX-License-Identifier: Apache-2.0
// Interleaved streams are similar in their upper bits at the distance of one turn. A period within
// the streams shows only further down. So prefixes of increasing length are tried: for each, the
// distances from every latent to the latest one with the same prefix are counted, and the frequent
// distances are periods.
//
// Example: three streams near 1000, 2000 and 3000, each with a pattern of 5 small values. Prefixes
// that tell the streams apart give distance 3. Full values give 15, where stream and pattern recur.
#include "pco/encode/lookback/match/periods.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/tuned.hpp"
#include "pco/encode/lookback/match/candidates.hpp"
#include "pco/stats/histogram.hpp"

namespace numpact::internal {
namespace {

// The window is one of this many parts of the page, within bounds. Longer windows show longer
// periods and take more time.
NUMPACT_TUNED(std::size_t, kPeriodWindowOneIn, 32);
NUMPACT_TUNED(std::size_t, kMinPeriodWindowN, 2048);
constexpr std::size_t kMaxPeriodWindowN = std::size_t{1} << 14;
// The first prefix has the length of find_near()'s; each further one is longer by this many bits.
NUMPACT_TUNED(unsigned, kFirstPrefixBits, 10);
NUMPACT_TUNED(unsigned, kMorePrefixBits, 8);
// A distance is frequent if at least one in this many latents has it. Rarer ones save little.
constexpr std::size_t kFrequentDistanceOneIn = 64;
// But at least this many must: in a short window smaller counts occur by chance.
NUMPACT_TUNED(std::uint32_t, kMinFrequentDistanceCountN, 8);
// If fewer than one in this many latents have an earlier one with the same prefix, longer prefixes
// have too few to make a distance frequent.
NUMPACT_TUNED(std::size_t, kRecurringOneIn, 16);
// Only the most frequent distances of each prefix are kept; the others mostly are multiples.
constexpr std::size_t kFrequentDistances = 4;
using FrequentDistances = std::array<std::uint32_t, kFrequentDistances>;

// Distances out of range are counted in this many slots by turns, so that successive increments do
// not wait for each other.
NUMPACT_TUNED(std::size_t, kOutOfRangeSlots, 16);

// A first pass counts one in this many distances, but at least this many, and looks for one that
// occurs a third as often as a frequent one must. Most windows without periods end there.
NUMPACT_TUNED(std::size_t, kFirstPassOneIn, 8);
NUMPACT_TUNED(std::size_t, kMinFirstPassN, 512);

// The first pass. counts: as of frequent_distances().
bool may_be_frequent(std::span<const std::uint32_t> distances, std::size_t one_in,
                     std::size_t min_distance, std::span<std::uint32_t> counts) {
  const std::uint32_t max_distance =
      static_cast<std::uint32_t>(counts.size() - kOutOfRangeSlots - 1);
  const std::size_t max_count = distances.size() / (3 * one_in * kFrequentDistanceOneIn);
  bool found = false;
  for (std::size_t i = one_in - 1; i < distances.size(); i += one_in) {
    const std::uint32_t distance = distances[i];
    if (distance < min_distance || distance > max_distance) continue;
    found |= ++counts[distance] > max_count;
  }
  std::fill(counts.begin(), counts.end(), 0);
  return found;
}

// The most frequent distances, then zeros. all_counts: zeros before and after. Two tables, each for
// the distances up to half of the window followed by the slots for those out of range.
FrequentDistances frequent_distances(std::span<const std::uint32_t> distances,
                                     std::size_t min_distance,
                                     std::span<std::uint32_t> all_counts) {
  const std::span<std::uint32_t> counts = all_counts.first(all_counts.size() / 2);
  const std::size_t one_in = std::min(kFirstPassOneIn, distances.size() / kMinFirstPassN);
  if (one_in > 1 && !may_be_frequent(distances, one_in, min_distance, counts)) return {};
  const std::uint32_t max_distance =
      static_cast<std::uint32_t>(counts.size() - kOutOfRangeSlots - 1);
  // Two tables, so that equal successive distances do not wait for the same counter.
  std::uint32_t* const tables[2] = {counts.data(), counts.data() + counts.size()};
  for (std::uint32_t i = 0; i < distances.size(); ++i) {
    const std::uint32_t distance = distances[i];
    const std::uint32_t out = max_distance + 1 + i % kOutOfRangeSlots;
    // Branchless: the branch would be mispredicted.
    const std::uint32_t is_out = std::uint32_t{0} - (distance > max_distance ? 1u : 0u);
    ++tables[i % 2][distance ^ ((distance ^ out) & is_out)];
  }
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += tables[1][i];
  const std::uint32_t min_count =
      std::max(static_cast<std::uint32_t>(distances.size() / kFrequentDistanceOneIn) + 1,
               kMinFrequentDistanceCountN);
  std::array<std::uint32_t, kFrequentDistanceOneIn> frequent;
  std::size_t n = 0;
  for (std::uint32_t distance = static_cast<std::uint32_t>(min_distance); distance <= max_distance;
       ++distance) {
    if (counts[distance] >= min_count) frequent[n++] = distance;
  }
  std::sort(frequent.begin(), frequent.begin() + static_cast<std::ptrdiff_t>(n),
            [&](std::uint32_t a, std::uint32_t b) {
              return counts[a] != counts[b] ? counts[a] > counts[b] : a < b;
            });
  FrequentDistances top{};
  std::copy_n(frequent.begin(), std::min(n, top.size()), top.begin());
  std::fill(all_counts.begin(), all_counts.end(), 0);
  return top;
}

// Whether enough latents have an earlier one with the same prefix. A distance that leads to the
// first latent means that there is none.
bool has_enough_recurring(std::span<const std::uint32_t> distances) {
  std::size_t found = 0;
  for (std::size_t i = 1; i < distances.size(); ++i) found += distances[i] < i ? 1 : 0;
  return found > distances.size() / kRecurringOneIn;
}

// Lowest bits in which no latents differ, such as those of narrow latents in wide words.
template <Latent L>
unsigned common_low_bits(std::span<const L> latents, L lower) {
  L used = 0;
  for (const L latent : latents) used = static_cast<L>(used | static_cast<L>(latent - lower));
  return static_cast<unsigned>(std::countr_zero(used));
}

}  // namespace

void Periods::add(std::uint32_t distance) {
  const auto end = distances.begin() + static_cast<std::ptrdiff_t>(n);
  if (n < kMaxPeriodsN && std::find(distances.begin(), end, distance) == end)
    distances[n++] = distance;
}

std::size_t period_window_n(std::size_t page_n) {
  const std::size_t min_n = std::min(page_n, kMinPeriodWindowN);
  return std::clamp(page_n / kPeriodWindowOneIn, min_n, kMaxPeriodWindowN);
}

template <Latent L>
Periods find_periods(std::span<const L> window, std::size_t min_distance, Arena& arena) {
  const ArenaScope scratch(arena);
  const std::span<std::uint32_t> distances = arena.make<std::uint32_t>(window.size());
  const std::span<std::uint32_t> counts =
      arena.make<std::uint32_t>(2 * (window.size() / 2 + 1 + kOutOfRangeSlots));
  std::fill(counts.begin(), counts.end(), 0);
  const ConstantBlocks blocks(window, arena);
  const Range<L> range = range_of(window);
  const unsigned width =
      static_cast<unsigned>(std::bit_width(static_cast<L>(range.upper - range.lower)));
  const unsigned unused_bits = common_low_bits(window, range.lower);
  Periods periods;
  for (unsigned bits = kFirstPrefixBits;; bits += kMorePrefixBits) {
    const unsigned shift = width > bits ? width - bits : 0;
    if (bits == kFirstPrefixBits) {
      find_near(window, blocks, distances, arena);
    } else {
      find_near(window, blocks, range.lower, shift, distances, arena);
    }
    std::uint32_t divisor = 0;
    for (const std::uint32_t distance : frequent_distances(distances, min_distance, counts)) {
      if (distance == 0) break;
      divisor = std::gcd(divisor, distance);
      // Restart the gcd when a distance is unrelated to those before.
      if (divisor < min_distance) divisor = distance;
      periods.add(distance);
      periods.add(divisor);
    }
    if (shift <= unused_bits || !has_enough_recurring(distances)) return periods;
  }
}

template Periods find_periods(std::span<const std::uint32_t>, std::size_t, Arena&);
template Periods find_periods(std::span<const std::uint64_t>, std::size_t, Arena&);

}  // namespace numpact::internal
