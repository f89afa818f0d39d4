// SPDX-License-Identifier: Apache-2.0
#include "pco/stats/known_values.hpp"

#include <algorithm>

#include "pco/stats/flat_blocks.hpp"
#include "pco/stats/intervals.hpp"

namespace numpact {
namespace {

// So many equal latents are counted one by one before the rest of their run is at once.
constexpr std::size_t kRunStart = 17;

// Two tables, so that runs of one value don't wait for their own counter.
struct CountPair {
  std::uint32_t* even;
  std::uint32_t* odd;
};

// places: of intervals that begin at the values; what they hold must be compared. Nothing here
// depends on branches, which would often be mispredicted. Returns the end of the rest.
template <Latent L>
L* compare(std::span<const L> latents, const L* values, CountPair counts, std::uint16_t* places,
           L* rest) {
  const auto one = [values, places](std::size_t i, L latent, std::uint32_t* table, L*& other) {
    const std::uint16_t place = places[i];
    const std::uint32_t is_other = values[place] != latent ? 1 : 0;
    *other = latent;
    other += is_other;
    table[place] += is_other ^ 1;
    places[i] = static_cast<std::uint16_t>(place | (0 - is_other));
  };
  std::size_t i = 0;
  for (; i + 2 <= latents.size(); i += 2) {
    one(i, latents[i], counts.even, rest);
    one(i + 1, latents[i + 1], counts.odd, rest);
  }
  if (i < latents.size()) one(i, latents[i], counts.even, rest);
  return rest;
}

}  // namespace

template <Latent L>
std::size_t count_known(std::span<const L> latents, std::span<const L> values,
                        std::span<std::uint32_t> counts, std::uint16_t* places, L* rest,
                        Arena& arena) {
  constexpr std::size_t kBlock = 1024;
  const ArenaScope scratch(arena);
  const auto tree = IntervalTree<L>::make(
      values.size(), [&](std::size_t i) { return values[i]; }, arena);
  const std::span<std::uint32_t> odd = arena.make<std::uint32_t>(values.size());
  std::fill(counts.begin(), counts.end(), 0);
  std::fill(odd.begin(), odd.end(), 0);
  L* rest_end = rest;
  const auto count_each = [&](std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; at += kBlock) {
      const std::span<const L> some = latents.subspan(at, std::min(kBlock, end - at));
      find_intervals(tree, some, places + at);
      rest_end = compare(some, values.data(), {counts.data(), odd.data()}, places + at, rest_end);
    }
  };
  const auto count_run = [&](std::size_t begin, std::size_t end) {
    const std::uint16_t place = places[begin - 1];
    std::fill(places + begin, places + end, place);
    if (place == kElsewhere) {
      rest_end = std::fill_n(rest_end, end - begin, latents[begin]);
    } else {
      counts[place] += static_cast<std::uint32_t>(end - begin);
    }
  };
  const FlatBlocks blocks(latents, arena);
  if (blocks.flat_n() > latents.size() / 2) {
    blocks.each(kRunStart, count_each, count_run);
  } else {
    count_each(0, latents.size());
  }
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += odd[i];
  return static_cast<std::size_t>(rest_end - rest);
}

#define NUMPACT_INSTANTIATE(L)                                             \
  template std::size_t count_known(std::span<const L>, std::span<const L>, \
                                   std::span<std::uint32_t>, std::uint16_t*, L*, Arena&);
NUMPACT_INSTANTIATE(std::uint8_t)
NUMPACT_INSTANTIATE(std::uint16_t)
NUMPACT_INSTANTIATE(std::uint32_t)
NUMPACT_INSTANTIATE(std::uint64_t)
#undef NUMPACT_INSTANTIATE

}  // namespace numpact
