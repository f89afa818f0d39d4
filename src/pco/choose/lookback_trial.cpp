// SPDX-License-Identifier: Apache-2.0
// Repeats lie too far apart for a sample to show them. So one cheap pass over the page counts how
// many short strings of latents occurred before; where that promises enough, lookbacks are searched
// for and the result is weighed.
#include "pco/choose/lookback_trial.hpp"

#include <algorithm>
#include <cmath>

#include "pco/choose/binning.hpp"
#include "pco/choose/lookback_search.hpp"
#include "pco/mode/split.hpp"

namespace numpact {
namespace {

constexpr std::size_t kMinPageN = 256;
// Strings are long enough to hold this many bits, so that they don't recur by chance.
constexpr float kStringBits = 20;
constexpr std::size_t kMaxString = 8;
// One string in eight is looked at, the same ones wherever they occur.
constexpr std::uint64_t kPickMask = 7;
constexpr std::size_t kWeighedN = 8192;
// Bits that a number inside a repeat still takes.
constexpr float kRepeatBits = 1.0f;
// Lookback decodes slower than the other deltas: it must save this share.
constexpr float kToll = 0.02f;

// The share of strings of `length` latents that occurred before in the page.
template <Latent L>
float repeated_share(std::span<const L> latents, std::size_t length, Arena& arena) {
  const ArenaScope scratch(arena);
  const unsigned log =
      std::clamp(static_cast<unsigned>(std::bit_width(latents.size() / 4)), 6u, 16u);
  const std::span<std::uint32_t> seen = arena.make<std::uint32_t>(std::size_t{1} << log);
  std::fill(seen.begin(), seen.end(), 0);
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
    std::uint32_t& slot = seen[static_cast<std::size_t>(hash >> (64 - log))];
    const std::uint32_t check = static_cast<std::uint32_t>(hash) | 1;
    ++picked;
    repeated += slot == check ? 1 : 0;
    slot = check;
  }
  return picked == 0 ? 0 : static_cast<float>(repeated) / static_cast<float>(picked);
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

}  // namespace

void try_lookback(const LatentArray& ordered, std::size_t page_n, float bits, Choice& choice,
                  Arena& arena) {
  if (page_n < kMinPageN || bits <= kRepeatBits) return;
  const LatentArray page = ordered.slice(0, page_n);
  const std::size_t length = static_cast<std::size_t>(
      std::clamp(std::ceil(kStringBits / bits), 2.0f, static_cast<float>(kMaxString)));
  const float share = page.visit([&](auto span) {
    using L = typename decltype(span)::value_type;
    return repeated_share(std::span<const L>(span), length, arena);
  });
  if (share * (bits - kRepeatBits) < 0.1f * bits) return;
  const Lookback lookback = lookback_for(page_n);
  const bool covers_chunk = page_n == ordered.n;
  // Kept beyond this call if the choice falls on them.
  const std::span<std::uint32_t> lookbacks =
      arena.make<std::uint32_t>(page_n > 1 ? page_n - lookback.state_n() : 0);
  const ArenaScope scratch(arena);
  const SplitLatents latents = split(choice.mode, page, arena);
  const std::span<const std::uint32_t> found = find_lookbacks(lookback, latents.primary, arena);
  std::copy(found.begin(), found.end(), lookbacks.begin());
  float weighed = weigh(lookbacks, latents.primary, arena);
  if (latents.secondary.exists()) {
    weighed += latents.secondary.visit([&](auto span) {
      using L = typename decltype(span)::value_type;
      const LatentArray some = thin_out(std::span<const L>(span), arena);
      const float scale = static_cast<float>(page_n) / static_cast<float>(some.n);
      return estimate_bits(some, scale, arena) / static_cast<float>(some.n);
    });
  }
  if (weighed >= (1 - kToll) * bits) return;
  choice.delta = lookback;
  if (covers_chunk) choice.lookbacks = lookbacks;
}

}  // namespace numpact
