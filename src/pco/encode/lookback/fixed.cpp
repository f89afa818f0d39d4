// SPDX-License-Identifier: Apache-2.0
// 1. Anchors are compared with every earlier latent up to the largest distance; a hit is a latent
//    that differs by clearly less than neighbours do. Latents are compared as keys of 16 bits, so
//    that this takes about one instruction for each number of the page.
// 2. The distances that have far more hits than others are candidates. They are ordered by the
//    widths of a few differences.
// 3. The best candidates are estimated by bins, under each mode.
// The same for the differences of neighbours, which shows distances with a constant step.
#include "pco/encode/lookback/fixed.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "base/tuned.hpp"
#include "pco/bins/binning.hpp"
#include "pco/encode/lookback/hits_kernel.hpp"
#include "pco/encode/lookback/optimize/costs.hpp"
#include "pco/encode/lookback/optimize/search_kernel.hpp"
#include "pco/mode/split.hpp"
#include "pco/stats/log2.hpp"

namespace numpact::internal {
namespace {

// Shorter pages leave too few anchors; the near test covers their short distances.
NUMPACT_TUNED(std::size_t, kMinPageN, 1024);
// Distances are at most one in this many of the page's numbers, so that comparing them with
// kAnchorN anchors takes about an instruction per number, and at most kMaxDistance.
NUMPACT_TUNED(std::size_t, kMaxDistanceOneIn, 20);
// The largest distance, in numbers: lines of images and grids are rarely longer.
constexpr std::size_t kMaxDistance = std::size_t{1} << 16;
// Numbers, spread over the page, that are compared with those at each distance.
constexpr std::size_t kAnchorN = 32;
// A candidate has this many hits more than the mean of all distances, and more than this many times
// the square root of the mean: about one in 2^16 distances has by chance.
NUMPACT_TUNED(float, kMinMoreHits, 5);
NUMPACT_TUNED(float, kMinMoreHitsDeviations, 4);
// Candidates of each of the two comparisons, and those of both that are estimated by bins.
constexpr std::size_t kMaxCandidates = 6;
NUMPACT_TUNED(std::size_t, kMaxEstimated, 4);
// Differences by which candidates are ordered, those of a first estimate by bins, and of the last.
constexpr std::size_t kProbeN = 128;
NUMPACT_TUNED(std::size_t, kFirstEstimatedN, 512);
NUMPACT_TUNED(std::size_t, kEstimatedN, 4096);
// The last one follows if the first takes at most this ratio of the bits without Lookback, or these
// bits more. Lower ones save time, and miss savings under other modes, and of rare differences.
NUMPACT_TUNED(float, kNearRatio, 1.1f);
NUMPACT_TUNED(float, kNearBitsPerNumber, 0.05f);
// A candidate whose differences take more bits than others by this is not estimated.
NUMPACT_TUNED(float, kProbeErrorBitsPerNumber, 0.25f);
// Another mode than the first must take less than this ratio of its bits.
NUMPACT_TUNED(float, kOtherModeRatio, 0.995f);

struct Distances {
  std::array<std::uint32_t, 2 * kMaxCandidates> distances{};
  std::size_t n = 0;
  std::span<const std::uint32_t> all() const { return std::span(distances).first(n); }
  void add(std::uint32_t distance) {
    const std::span<const std::uint32_t> known = all();
    if (std::find(known.begin(), known.end(), distance) == known.end()) distances[n++] = distance;
  }
};

// The width that half of some differences exceed.
class MedianWidth {
 public:
  template <Latent L>
  void add(L difference) {
    ++counts_[signed_width(difference)];
    ++n_;
  }
  unsigned get() const {
    std::size_t below = 0;
    unsigned width = 0;
    while (width < 64 && 2 * (below += counts_[width]) < n_) ++width;
    return width;
  }

 private:
  std::array<std::size_t, 65> counts_{};
  std::size_t n_ = 0;
};

// Keys whose difference is at most 1 for latents that differ by about a quarter of what neighbours,
// or any two of them, differ by.
template <Latent L, class At>
void make_keys(std::size_t first, std::span<std::uint16_t> keys, At&& at) {
  constexpr unsigned kKeyBits = 3;  // half of the differences have at most this many bits as keys
  MedianWidth near;
  MedianWidth far;
  const EvenPositions places(keys.size() - 1, kProbeN);
  for (std::size_t j = 0; j < kProbeN; ++j) {
    const std::size_t i = first + places[j];
    near.add(static_cast<L>(at(i + 1) - at(i)));
    far.add(static_cast<L>(at(first + places[(j * 67 + 31) % kProbeN]) - at(i)));
  }
  const unsigned width = std::min(near.get(), far.get());
  const unsigned right = width > kKeyBits ? width - kKeyBits : 0;
  const unsigned left = width < kKeyBits ? kKeyBits - width : 0;
  const auto key_at = [=](std::size_t j) {
    const auto key = static_cast<std::uint16_t>(static_cast<L>(at(first + j) + kMid<L>) >> right);
    return static_cast<std::uint16_t>(key << left);
  };
  // Compilers vectorize loops of a constant length.
  std::array<std::uint16_t, 64> block;
  std::size_t j = 0;
  for (; j + block.size() <= keys.size(); j += block.size()) {
    for (std::size_t k = 0; k < block.size(); ++k) block[k] = key_at(j + k);
    std::copy(block.begin(), block.end(), keys.begin() + static_cast<std::ptrdiff_t>(j));
  }
  for (; j < keys.size(); ++j) keys[j] = key_at(j);
}

// Sets hits[d - 1] to the number of anchors, in the upper half of the keys, whose key the one d
// before is close to. Latents that equal their predecessor say little, and are no anchors if others
// follow soon.
void count_hits(std::span<const std::uint16_t> keys, std::span<std::uint16_t> hits) {
  std::fill(hits.begin(), hits.end(), std::uint16_t{0});
  const std::size_t max_distance = hits.size();
  const std::size_t span = (keys.size() - max_distance) / kAnchorN;
  std::uint64_t random = 0x9e3779b97f4a7c15u;
  Anchors before;
  for (std::size_t k = 0; k < kAnchorN; ++k) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    std::size_t at = max_distance + k * span + static_cast<std::size_t>((random >> 33) % span);
    const std::size_t end = std::min(keys.size(), at + 2 * span);
    std::size_t changed = at;
    while (changed < end && keys[changed] == keys[changed - 1]) ++changed;
    if (changed < end) at = changed;
    before[k % kAnchorGroupN] = keys.data() + at - max_distance;
    if (k % kAnchorGroupN == kAnchorGroupN - 1) add_hits(before, hits.data(), hits.size());
  }
  std::reverse(hits.begin(), hits.end());
}

// Adds the distances with the most hits; of neighbouring ones the best. The distances from 1 on
// that are all candidates only show that the numbers are smooth.
void add_candidates(std::span<const std::uint16_t> hits, Distances& candidates) {
  std::array<std::uint32_t, kAnchorN + 1> counts{};
  for (const std::uint16_t hit : hits) ++counts[hit];
  float sum = 0;
  for (std::size_t hit = 1; hit < counts.size(); ++hit) {
    sum += static_cast<float>(hit) * static_cast<float>(counts[hit]);
  }
  const float mean = sum / static_cast<float>(hits.size());
  const float more = std::max(kMinMoreHits, kMinMoreHitsDeviations * std::sqrt(mean));
  const std::size_t min_hits = static_cast<std::size_t>(mean + more) + 1;
  if (min_hits > kAnchorN) return;
  std::size_t first = 0;
  while (first < hits.size() && hits[first] >= min_hits) ++first;
  std::size_t left = kMaxCandidates;
  for (std::size_t hit = kAnchorN; hit >= min_hits && left > 0; --hit) {
    if (counts[hit] == 0) continue;
    for (std::size_t i = std::max<std::size_t>(first, 1); i < hits.size() && left > 0; ++i) {
      const bool is_peak =
          hits[i] == hit && hits[i - 1] < hit && (i + 1 == hits.size() || hits[i + 1] <= hit);
      if (!is_peak) continue;
      candidates.add(static_cast<std::uint32_t>(i + 1));
      --left;
    }
  }
}

// Bits of a difference at the distance by its width, less a step that all have in common; for a
// distance of 0, of a latent.
template <Latent L>
float probe_bits(std::span<const L> latents, std::size_t distance) {
  std::array<L, kProbeN> differences;
  const EvenPositions places(latents.size() - distance, kProbeN);
  for (std::size_t j = 0; j < kProbeN; ++j) {
    const std::size_t i = distance + places[j];
    differences[j] =
        static_cast<L>(latents[i] - (distance > 0 ? latents[i - distance] : L{0}) + kMid<L>);
  }
  std::nth_element(differences.begin(), differences.begin() + kProbeN / 2, differences.end());
  const L step = differences[kProbeN / 2];
  std::array<std::uint32_t, 65> widths{};
  for (const L difference : differences) ++widths[signed_width(static_cast<L>(difference - step))];
  return width_bits(widths, kProbeN, 0);
}

// The candidates with the least probe_bits(), in ascending order. has_steps: the differences of
// neighbours are compared, too.
template <Latent L>
Distances best_candidates(std::span<const L> latents, bool has_steps, Arena& arena) {
  const ArenaScope scratch(arena);
  const std::size_t max_distance = std::min(latents.size() / kMaxDistanceOneIn, kMaxDistance);
  const std::size_t keys_n = 2 * max_distance;
  const std::size_t first = (latents.size() - keys_n) / 2;
  const std::span<std::uint16_t> keys = arena.make<std::uint16_t>(keys_n);
  const std::span<std::uint16_t> hits = arena.make<std::uint16_t>(max_distance);
  Distances found;
  make_keys<L>(first, keys, [at = latents.data()](std::size_t i) { return at[i]; });
  count_hits(keys, hits);
  add_candidates(hits, found);
  if (has_steps) {
    make_keys<L>(first, keys, [at = latents.data()](std::size_t i) {
      return static_cast<L>(at[i] - at[i - 1]);
    });
    count_hits(keys, hits);
    add_candidates(hits, found);
  }
  Distances best;
  if (found.n == 0) return best;
  const float max_bits =
      std::min(probe_bits(latents, 0), probe_bits(latents, 1)) + kProbeErrorBitsPerNumber;
  std::array<std::pair<float, std::uint32_t>, 2 * kMaxCandidates> ranked;
  for (std::size_t k = 0; k < found.n; ++k) {
    ranked[k] = {probe_bits(latents, found.distances[k]), found.distances[k]};
  }
  std::sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(found.n));
  for (std::size_t k = 0; k < std::min(found.n, kMaxEstimated); ++k) {
    if (ranked[k].first < max_bits) best.add(ranked[k].second);
  }
  return best;
}

// Evenly spaced latents of the page, then for each the one at the distance before.
LatentArray take_pairs(const LatentArray& page, std::size_t distance, std::size_t max_n,
                       Arena& arena) {
  return page.visit([&](auto latents) {
    using L = typename decltype(latents)::value_type;
    const std::size_t n = std::min(latents.size() - distance, max_n);
    const std::span<L> pairs = arena.make<L>(2 * n);
    const EvenPositions places(latents.size() - distance, n);
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t i = distance + places[j];
      pairs[j] = latents[i];
      pairs[n + j] = latents[i - distance];
    }
    return LatentArray(pairs);
  });
}

// Bits per latent of the first half of the pairs, or of their differences.
float bits_of(const LatentArray& pairs, bool differs, float scale, Arena& arena) {
  const ArenaScope scratch(arena);
  return pairs.visit([&](auto latents) {
    using L = typename decltype(latents)::value_type;
    const std::size_t n = latents.size() / 2;
    const std::span<L> values = arena.make<L>(n);
    for (std::size_t j = 0; j < n; ++j) {
      values[j] = differs ? static_cast<L>(latents[j] - latents[n + j] + kMid<L>) : latents[j];
    }
    return estimate_bits(LatentArray(values), scale, arena) / static_cast<float>(n);
  });
}

FixedLookback estimate_fixed(const LatentArray& page, const AnyMode& mode, std::uint32_t distance,
                             std::size_t max_n, Arena& arena) {
  const ArenaScope scratch(arena);
  const LatentArray pairs = take_pairs(page, distance, max_n, arena);
  const SplitLatents latents = split(mode, pairs, arena);
  const float scale = static_cast<float>(page.n) / static_cast<float>(pairs.n / 2);
  // The first numbers look back to zeros.
  const float before = static_cast<float>(distance) / static_cast<float>(page.n);
  const auto with_start = [&](const LatentArray& variable) {
    return entropy(before) + (1 - before) * bits_of(variable, true, scale, arena) +
           before * bits_of(variable, false, scale, arena);
  };
  FixedLookback fixed{distance, mode, false, with_start(latents.primary)};
  if (!latents.secondary.exists()) return fixed;
  const float plain = bits_of(latents.secondary, false, scale, arena);
  const float deltas = with_start(latents.secondary);
  fixed.secondary = deltas < plain;
  fixed.bits += std::min(plain, deltas);
  return fixed;
}

// The best distance and mode, from max_n differences.
std::optional<FixedLookback> best_of(const LatentArray& page,
                                     std::span<const std::uint32_t> distances,
                                     std::span<const AnyMode> modes, std::size_t max_n,
                                     Arena& arena) {
  std::optional<FixedLookback> best;
  for (const std::uint32_t distance : distances) {
    for (const AnyMode& mode : modes) {
      const FixedLookback fixed = estimate_fixed(page, mode, distance, max_n, arena);
      if (!best || fixed.bits < kOtherModeRatio * best->bits) best = fixed;
    }
  }
  return best;
}

// The modes of the estimates, the best first, and Classic; not dictionaries.
class Modes {
 public:
  Modes(std::span<const Estimate> estimates, bool may_change) {
    bool has_classic = false;
    for (const Estimate& one : estimates) {
      const bool is_classic = std::holds_alternative<Classic>(one.mode);
      if (std::holds_alternative<Dict>(one.mode) || (is_classic && has_classic)) continue;
      has_classic = has_classic || is_classic;
      if (n_ < kMaxModes && (n_ == 0 || may_change)) modes_[n_++] = one.mode;
    }
    if (may_change && !has_classic) modes_[n_++] = Classic{};
  }
  std::span<const AnyMode> all() const { return std::span(modes_).first(n_); }

 private:
  // More take longer than they save.
  static constexpr std::size_t kMaxModes = 3;
  std::array<AnyMode, kMaxModes + 1> modes_;
  std::size_t n_ = 0;
};

}  // namespace

std::optional<FixedLookback> find_fixed_lookback(const LatentArray& page,
                                                 std::span<const Estimate> estimates,
                                                 bool may_change_mode, Arena& arena) {
  if (page.n < kMinPageN || estimates.empty()) return {};
  // A constant step needs them only where it makes the numbers rise or fall.
  const bool has_steps = !std::holds_alternative<NoDelta>(estimates[0].delta);
  const Distances candidates = page.visit([&](auto latents) {
    using L = typename decltype(latents)::value_type;
    return best_candidates(std::span<const L>(latents), has_steps, arena);
  });
  const Modes modes(estimates, may_change_mode);
  if (modes.all().empty()) return {};
  const float bits = estimates[0].bits;
  const float near_bits = std::max(kNearRatio * bits, bits + kNearBitsPerNumber);
  // Distances and modes by few differences, the best mode of each near distance by more: few do not
  // show that a multiple of a period, or a neighbour of it, fails now and then.
  std::optional<FixedLookback> best;
  for (const std::uint32_t& distance : candidates.all()) {
    const auto first = estimate_fixed(page, modes.all()[0], distance, kFirstEstimatedN, arena);
    if (first.bits > near_bits) continue;
    const auto mode = best_of(page, {&distance, 1}, modes.all(), kFirstEstimatedN, arena);
    const auto last = estimate_fixed(page, mode->mode, distance, kEstimatedN, arena);
    if (!best || last.bits < best->bits) best = last;
  }
  return best;
}

}  // namespace numpact::internal
