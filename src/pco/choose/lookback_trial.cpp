// SPDX-License-Identifier: Apache-2.0
// Repeats lie too far apart for a sample to show them. So one cheap pass over the page counts how
// many short strings of latents occurred before; where that promises enough, lookbacks are searched
// for and the result is weighed.
#include "pco/choose/lookback_trial.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "pco/choose/binning.hpp"
#include "pco/choose/lookback_search.hpp"
#include "pco/mode/split.hpp"
#include "pco/stats/log2.hpp"

namespace numpact {
namespace {

constexpr std::size_t kMinPageN = 256;
// With less for each number there is little to save.
constexpr float kMinBits = 0.25f;
// Strings hold this many bits more than it takes to tell the page's places apart, so that they
// don't recur by chance.
constexpr float kSpareBits = 8;
constexpr std::size_t kMaxString = 16;
// One string in eight is looked at, the same ones wherever they occur.
constexpr std::uint64_t kPickMask = 7;
constexpr std::size_t kWeighedN = 8192;
// Lookback decodes slower than the other deltas: it must save this share.
constexpr float kToll = 0.02f;
// After one pass of the search, more than this over is too much.
constexpr float kHopeless = 1.5f;
// And promise this one before it is tried.
constexpr float kPromise = 0.05f;

struct Seen {
  std::uint32_t check;
  std::uint32_t position;
};

struct Repeats {
  float share = 0;                           // of the strings that occurred before
  std::span<const std::uint32_t> lookbacks;  // to where, for some of them
};

// Strings of `length` latents that occurred before in the page.
template <Latent L>
Repeats find_repeats(std::span<const L> latents, std::size_t length, Arena& arena) {
  const unsigned log =
      std::clamp(static_cast<unsigned>(std::bit_width(latents.size() / 4)), 6u, 16u);
  const std::span<std::uint32_t> lookbacks = arena.make<std::uint32_t>(kWeighedN);
  std::size_t lookback_n = 0;
  const ArenaScope scratch(arena);
  const std::span<Seen> seen = arena.make<Seen>(std::size_t{1} << log);
  std::fill(seen.begin(), seen.end(), Seen{0, 0});
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15u;
  std::uint64_t leaving = 1;  // kFactor to the power of length
  for (std::size_t i = 0; i < length; ++i) leaving *= kFactor;
  std::uint64_t key = 0;
  std::size_t picked = 0;
  std::size_t repeated = 0;
  for (std::size_t i = 0; i < latents.size(); ++i) {
    key = key * kFactor + latents[i] + 1;
    if (i >= length) key -= (std::uint64_t{latents[i - length]} + 1) * leaving;
    const std::uint64_t hash = (key ^ key >> 29) * 0xbf58476d1ce4e5b9u;
    if ((hash >> 32 & kPickMask) != 0 || i + 1 < length) continue;
    Seen& slot = seen[static_cast<std::size_t>(hash >> (64 - log))];
    const std::uint32_t check = static_cast<std::uint32_t>(hash) | 1;
    const std::uint32_t position = static_cast<std::uint32_t>(i);
    ++picked;
    if (slot.check == check) {
      // The last of many: a ring keeps the latest.
      lookbacks[repeated % kWeighedN] = position - slot.position;
      ++repeated;
      lookback_n = std::min(repeated, kWeighedN);
    }
    slot = {check, position};
  }
  if (picked == 0) return {};
  return {static_cast<float>(repeated) / static_cast<float>(picked), lookbacks.first(lookback_n)};
}

// What a number would take if the repeats were coded by lookbacks and the rest as it is.
float promised_bits(const Repeats& repeats, float bits, std::size_t page_n, Arena& arena) {
  if (repeats.lookbacks.empty()) return bits;
  const float n = static_cast<float>(repeats.lookbacks.size());
  const std::span<std::uint32_t> lookbacks = arena.make<std::uint32_t>(repeats.lookbacks.size());
  std::copy(repeats.lookbacks.begin(), repeats.lookbacks.end(), lookbacks.begin());
  const float scale = std::max(1.0f, repeats.share * static_cast<float>(page_n) / n);
  const float lookback_bits = estimate_bits(LatentArray(lookbacks), scale, arena) / n;
  const float yes = repeats.share;
  const float no = 1 - yes;
  float which_bits = yes > 0 ? -yes * fast_log2(yes) : 0;
  which_bits -= no > 0 ? no * fast_log2(no) : 0;
  return yes * lookback_bits + no * bits + which_bits;
}

// What a number would take if each looked back to the nearest of the last kNear latents, by the
// entropies of lookbacks and of the deltas' widths: streams that take turns show so.
template <Latent L>
float near_bits(std::span<const L> latents, std::size_t run_n) {
  constexpr std::size_t kNear = 64;
  constexpr std::size_t kStep = 4;
  std::array<std::uint32_t, kNear + 1> lookback_counts{};
  std::array<std::uint32_t, 65> width_counts{};
  std::uint32_t total = 0;
  for (std::size_t run = 0; run + run_n <= latents.size(); run += run_n) {
    for (std::size_t i = run + kNear; i < run + run_n; i += kStep) {
      std::size_t best = 1;
      L best_distance = static_cast<L>(~L{0});
      for (std::size_t k = 1; k <= kNear; ++k) {
        const L up = static_cast<L>(latents[i] - latents[i - k]);
        const L distance = std::min(up, static_cast<L>(L{0} - up));
        best = distance < best_distance ? k : best;
        best_distance = std::min(distance, best_distance);
      }
      ++lookback_counts[best];
      ++width_counts[static_cast<std::size_t>(std::bit_width(best_distance))];
      ++total;
    }
  }
  if (total == 0) return HUGE_VALF;
  const float n = static_cast<float>(total);
  const auto code_bits = [&](std::uint32_t count) {
    return count == 0
               ? 0
               : static_cast<float>(count) * (fast_log2(n) - fast_log2(static_cast<float>(count)));
  };
  float bits = 0;
  for (const std::uint32_t count : lookback_counts) bits += code_bits(count);
  for (std::size_t width = 0; width < width_counts.size(); ++width) {
    // The sign takes a bit, the leading one of the magnitude none.
    bits += code_bits(width_counts[width]) +
            static_cast<float>(width_counts[width]) * static_cast<float>(width);
  }
  return bits / n;
}

// Evenly spaced latents: enough for their distribution.
template <Latent L>
LatentArray thin_out(std::span<const L> latents, Arena& arena) {
  const std::size_t n = std::min(latents.size(), kWeighedN);
  const std::span<L> thin = arena.make<L>(n);
  for (std::size_t i = 0; i < n; ++i) thin[i] = latents[i * latents.size() / n];
  return LatentArray(thin);
}

// Bits for each number under the lookbacks: theirs, and the deltas'.
float weigh(std::span<const std::uint32_t> lookbacks, const LatentArray& primary, Arena& arena) {
  return primary.visit([&](auto span) {
    using L = typename decltype(span)::value_type;
    const std::size_t n = lookbacks.size();
    const std::span<L> deltas = arena.make<L>(span.size());
    std::copy(span.begin(), span.end(), deltas.begin());
    L state[1];
    encode_lookback(lookbacks.data(), std::span<L>(state), deltas.data(), deltas.size());
    const LatentArray some_deltas = thin_out(std::span<const L>(deltas.first(n)), arena);
    const LatentArray some_lookbacks = thin_out(lookbacks, arena);
    const float scale = static_cast<float>(n) / static_cast<float>(some_deltas.n);
    return (estimate_bits(some_deltas, scale, arena) +
            estimate_bits(some_lookbacks, scale, arena)) /
           static_cast<float>(some_deltas.n);
  });
}

bool is_promising(const Sample& sample, const LatentArray& page, float bits, const AnyMode& mode,
                  Arena& arena) {
  const ArenaScope scratch(arena);
  const float string_bits = kSpareBits + fast_log2(static_cast<float>(page.n));
  const std::size_t length = static_cast<std::size_t>(
      std::clamp(std::ceil(string_bits / bits), 2.0f, static_cast<float>(kMaxString)));
  const float repeated = page.visit([&](auto span) {
    using L = typename decltype(span)::value_type;
    return promised_bits(find_repeats(std::span<const L>(span), length, arena), bits, page.n,
                         arena);
  });
  if (repeated < (1 - kPromise) * bits) return true;
  const SplitLatents latents = split(mode, sample.latents, arena);
  const float near = latents.primary.visit([&](auto span) {
    using L = typename decltype(span)::value_type;
    return near_bits(std::span<const L>(span), sample.run_n);
  });
  return near < (1 - kPromise) * bits;
}

float weigh_plain(const LatentArray& latents, Arena& arena) {
  return latents.visit([&](auto span) {
    using L = typename decltype(span)::value_type;
    const LatentArray some = thin_out(std::span<const L>(span), arena);
    const float scale = static_cast<float>(span.size()) / static_cast<float>(some.n);
    return estimate_bits(some, scale, arena) / static_cast<float>(some.n);
  });
}

}  // namespace

bool try_lookback(const Sample& sample, const LatentArray& ordered, const Trial& trial,
                  Choice& choice, Arena& arena) {
  const std::size_t page_n = trial.page_n;
  const float bits = trial.bits;
  if (page_n < kMinPageN || bits < kMinBits) return false;
  const LatentArray page = ordered.slice(0, page_n);
  if (!is_promising(sample, page, bits, choice.mode, arena)) return false;
  const Lookback lookback = lookback_for(page_n);
  const bool covers_chunk = page_n == ordered.n;
  // Kept beyond this call if the choice falls on them.
  const std::span<std::uint32_t> lookbacks =
      arena.make<std::uint32_t>(page_n > 1 ? page_n - lookback.state_n() : 0);
  const ArenaScope scratch(arena);
  const SplitLatents latents = split(choice.mode, page, arena);
  const std::span<const std::uint32_t> found =
      find_lookbacks(lookback, latents.primary, arena, kHopeless * bits + 1);
  if (found.empty()) return false;
  std::copy(found.begin(), found.end(), lookbacks.begin());
  float best_bits = weigh(lookbacks, latents.primary, arena);
  if (latents.secondary.exists()) {
    best_bits += weigh_plain(latents.secondary, arena);
    // Where whole numbers repeat, splitting them only adds corrections.
    const float classic_bits = weigh(lookbacks, page, arena);
    if (trial.may_change_mode && classic_bits < best_bits) {
      best_bits = classic_bits;
      if (best_bits < (1 - kToll) * bits) choice.mode = Classic{};
    }
  }
  if (best_bits >= (1 - kToll) * bits) return false;
  choice.delta = lookback;
  choice.bits = best_bits;
  if (covers_chunk) choice.lookbacks = lookbacks;
  return true;
}

}  // namespace numpact
