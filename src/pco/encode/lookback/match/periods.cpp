// SPDX-License-Identifier: Apache-2.0
// Streams that take turns are alike in their upper bits at the distance of a turn, whatever comes
// back within them is so only further down: so several numbers of bits are tried.
#include "pco/encode/lookback/match/periods.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "pco/encode/lookback/match/candidates.hpp"
#include "pco/stats/histogram.hpp"

namespace numpact {
namespace {

// This share of a page, so many at least and at most.
constexpr std::size_t kStretchShare = 32;
constexpr std::size_t kMinStretchN = 2048;
constexpr std::size_t kMaxStretchN = std::size_t{1} << 14;
constexpr unsigned kFirstBits = 10;
constexpr unsigned kMoreBits = 8;
// A distance is frequent that one in so many is.
constexpr std::size_t kOftenShare = 64;
// But so often at least: of few, what occurs less often does so by chance.
constexpr std::uint32_t kOftenOfFew = 8;
// With fewer that come back at all, none of their distances is likely to be frequent.
constexpr std::size_t kComeBackShare = 16;
constexpr std::size_t kFrequentDistances = 4;
using Frequent = std::array<std::uint32_t, kFrequentDistances>;

// Distances out of reach are counted in so many places, so as not to wait for each other.
constexpr std::size_t kOutOfReach = 16;

// One in so many distances is looked at first, but so many at least, for one that occurs at least a
// third as often as it must.
constexpr std::size_t kFirstShare = 8;
constexpr std::size_t kLeastFirstN = 512;

bool may_be_frequent(std::span<const std::uint32_t> distances, std::size_t share, std::size_t least,
                     std::span<std::uint32_t> counts) {
  const std::uint32_t most = static_cast<std::uint32_t>(counts.size() - kOutOfReach - 1);
  const std::size_t often = distances.size() / (3 * share * kOftenShare);
  bool found = false;
  for (std::size_t i = share - 1; i < distances.size(); i += share) {
    const std::uint32_t distance = distances[i];
    if (distance < least || distance > most) continue;
    found |= ++counts[distance] > often;
  }
  std::fill(counts.begin(), counts.end(), 0);
  return found;
}

// Those that occur most often, if they occur often at all; else zeros. counts: zeros, left so; of
// distances up to half as many as there are, and those out of reach, twice.
Frequent frequent_distances(std::span<const std::uint32_t> distances, std::size_t least,
                            std::span<std::uint32_t> all_counts) {
  const std::span<std::uint32_t> counts = all_counts.first(all_counts.size() / 2);
  const std::size_t share = std::min(kFirstShare, distances.size() / kLeastFirstN);
  if (share > 1 && !may_be_frequent(distances, share, least, counts)) return {};
  const std::uint32_t most = static_cast<std::uint32_t>(counts.size() - kOutOfReach - 1);
  // Two tables, so that equal distances don't wait for their own counter.
  std::uint32_t* const tables[2] = {counts.data(), counts.data() + counts.size()};
  for (std::uint32_t i = 0; i < distances.size(); ++i) {
    const std::uint32_t distance = distances[i];
    const std::uint32_t out = most + 1 + i % kOutOfReach;
    // By a mask, as branches that are not foreseen take longer.
    const std::uint32_t is_out = std::uint32_t{0} - (distance > most ? 1u : 0u);
    ++tables[i % 2][distance ^ ((distance ^ out) & is_out)];
  }
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += tables[1][i];
  const std::uint32_t often =
      std::max(static_cast<std::uint32_t>(distances.size() / kOftenShare) + 1, kOftenOfFew);
  std::array<std::uint32_t, kOftenShare> frequent;
  std::size_t n = 0;
  for (std::uint32_t distance = static_cast<std::uint32_t>(least); distance <= most; ++distance) {
    if (counts[distance] >= often) frequent[n++] = distance;
  }
  std::sort(frequent.begin(), frequent.begin() + static_cast<std::ptrdiff_t>(n),
            [&](std::uint32_t a, std::uint32_t b) {
              return counts[a] != counts[b] ? counts[a] > counts[b] : a < b;
            });
  Frequent top{};
  std::copy_n(frequent.begin(), std::min(n, top.size()), top.begin());
  std::fill(all_counts.begin(), all_counts.end(), 0);
  return top;
}

bool come_back(std::span<const std::uint32_t> distances) {
  std::size_t found = 0;
  for (std::size_t i = 1; i < distances.size(); ++i) found += distances[i] < i ? 1 : 0;
  return found > distances.size() / kComeBackShare;
}

// Lowest bits in which no latents differ, as those of narrow latents in wide words.
template <Latent L>
unsigned unused_bits(std::span<const L> latents, L lower) {
  L used = 0;
  for (const L latent : latents) used = static_cast<L>(used | static_cast<L>(latent - lower));
  return static_cast<unsigned>(std::countr_zero(used));
}

}  // namespace

void Periods::add(std::uint32_t distance) {
  const auto end = distances.begin() + static_cast<std::ptrdiff_t>(n);
  if (n < kMost && std::find(distances.begin(), end, distance) == end) distances[n++] = distance;
}

std::size_t period_stretch_n(std::size_t page_n) {
  const std::size_t least = std::min(page_n, kMinStretchN);
  return std::clamp(page_n / kStretchShare, least, kMaxStretchN);
}

template <Latent L>
Periods find_periods(std::span<const L> stretch, std::size_t least, Arena& arena) {
  const ArenaScope scratch(arena);
  const std::span<std::uint32_t> distances = arena.make<std::uint32_t>(stretch.size());
  const std::span<std::uint32_t> counts =
      arena.make<std::uint32_t>(2 * (stretch.size() / 2 + 1 + kOutOfReach));
  std::fill(counts.begin(), counts.end(), 0);
  const FlatBlocks blocks(stretch, arena);
  const Range<L> range = range_of(stretch);
  const unsigned width =
      static_cast<unsigned>(std::bit_width(static_cast<L>(range.upper - range.lower)));
  const unsigned unused = unused_bits(stretch, range.lower);
  Periods periods;
  for (unsigned bits = kFirstBits;; bits += kMoreBits) {
    const unsigned shift = width > bits ? width - bits : 0;
    if (bits == kFirstBits) {
      find_near(stretch, blocks, distances, arena);
    } else {
      find_near(stretch, blocks, range.lower, shift, distances, arena);
    }
    std::uint32_t divisor = 0;
    for (const std::uint32_t distance : frequent_distances(distances, least, counts)) {
      if (distance == 0) break;
      divisor = std::gcd(divisor, distance);
      // One that has nothing to do with the rest begins anew.
      if (divisor < least) divisor = distance;
      periods.add(distance);
      periods.add(divisor);
    }
    if (shift <= unused || !come_back(distances)) return periods;
  }
}

template Periods find_periods(std::span<const std::uint32_t>, std::size_t, Arena&);
template Periods find_periods(std::span<const std::uint64_t>, std::size_t, Arena&);

}  // namespace numpact
