// SPDX-License-Identifier: Apache-2.0
#include "pco/choose/lookback_candidates.hpp"

#include <algorithm>
#include <bit>

#include "pco/stats/histogram.hpp"

namespace numpact {
namespace {

constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15u;
// Tables of 4 bytes an entry fit second-level caches.
constexpr unsigned kMaxHashLog = 18;
// A latent drops out of the string's hash after this many more.
constexpr unsigned kStringN = 8;
constexpr unsigned kNearBits = 10;

class Latest {
 public:
  Latest(std::size_t n, Arena& arena)
      : log_(std::clamp(static_cast<unsigned>(std::bit_width(n)), 8u, kMaxHashLog)),
        positions_(arena.make<std::uint32_t>(std::size_t{1} << log_)) {
    std::fill(positions_.begin(), positions_.end(), 0);
  }
  // The latest position of the hash, replaced by this one.
  std::uint32_t swap(std::uint64_t hash, std::uint32_t position) {
    std::uint32_t& slot = positions_[static_cast<std::size_t>(hash >> (64 - log_))];
    const std::uint32_t latest = slot;
    slot = position;
    return latest;
  }

 private:
  unsigned log_;
  std::span<std::uint32_t> positions_;
};

}  // namespace

template <Latent L>
void find_same(std::span<const L> latents, std::span<std::uint32_t> lookbacks, Arena& arena) {
  const ArenaScope scratch(arena);
  Latest latest(latents.size(), arena);
  for (std::size_t i = 0; i < latents.size(); ++i) {
    const std::uint32_t position = static_cast<std::uint32_t>(i);
    lookbacks[i] = position - latest.swap(latents[i] * kFactor, position);
  }
}

template <Latent L>
void find_near(std::span<const L> latents, std::span<std::uint32_t> lookbacks, Arena& arena) {
  const ArenaScope scratch(arena);
  const Range<L> range = range_of(latents);
  const unsigned width =
      static_cast<unsigned>(std::bit_width(static_cast<L>(range.upper - range.lower)));
  const unsigned shift = width > kNearBits ? width - kNearBits : 0;
  const std::span<std::uint32_t> positions = arena.make<std::uint32_t>(std::size_t{1} << kNearBits);
  std::fill(positions.begin(), positions.end(), 0);
  for (std::size_t i = 0; i < latents.size(); ++i) {
    const std::uint32_t position = static_cast<std::uint32_t>(i);
    std::uint32_t& slot = positions[static_cast<std::size_t>((latents[i] - range.lower) >> shift)];
    lookbacks[i] = position - slot;
    slot = position;
  }
}

template <Latent L>
void find_near(std::span<const L> latents, L lower, unsigned shift,
               std::span<std::uint32_t> lookbacks, Arena& arena) {
  const ArenaScope scratch(arena);
  Latest latest(latents.size(), arena);
  for (std::size_t i = 0; i < latents.size(); ++i) {
    const std::uint32_t position = static_cast<std::uint32_t>(i);
    const L upper = static_cast<L>(static_cast<L>(latents[i] - lower) >> shift);
    lookbacks[i] = position - latest.swap(upper * kFactor, position);
  }
}

template <Latent L>
void find_same_strings(std::span<const L> latents, std::span<std::uint32_t> lookbacks,
                       Arena& arena) {
  const ArenaScope scratch(arena);
  Latest latest(latents.size(), arena);
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < latents.size(); ++i) {
    const std::uint32_t position = static_cast<std::uint32_t>(i);
    const std::uint64_t product = latents[i] * kFactor;
    hash = (hash << (64 / kStringN)) + (product ^ product >> 32);
    lookbacks[i] = position - latest.swap(hash * kFactor, position);
  }
}

#define NUMPACT_INSTANTIATE(L)                                                                \
  template void find_same(std::span<const L>, std::span<std::uint32_t>, Arena&);              \
  template void find_near(std::span<const L>, std::span<std::uint32_t>, Arena&);              \
  template void find_near(std::span<const L>, L, unsigned, std::span<std::uint32_t>, Arena&); \
  template void find_same_strings(std::span<const L>, std::span<std::uint32_t>, Arena&);
NUMPACT_INSTANTIATE(std::uint32_t)
NUMPACT_INSTANTIATE(std::uint64_t)
#undef NUMPACT_INSTANTIATE

}  // namespace numpact
