// SPDX-License-Identifier: Apache-2.0
#include "pco/stats/known_values.hpp"

#include <algorithm>

#include "pco/stats/intervals.hpp"

namespace numpact {
namespace {

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

// Counts block by block.
template <Latent L>
class KnownValues {
 public:
  KnownValues(std::span<const L> values, std::span<std::uint32_t> counts, L* rest, Arena& arena)
      : values_(values),
        tree_(IntervalTree<L>::make(
            values.size(), [&](std::size_t i) { return values[i]; }, arena)),
        even_(counts),
        odd_(arena.make<std::uint32_t>(values.size())),
        rest_(rest),
        rest_end_(rest) {
    std::fill(even_.begin(), even_.end(), 0);
    std::fill(odd_.begin(), odd_.end(), 0);
  }

  void count(std::span<const L> some, std::uint16_t* places) {
    find_intervals(tree_, some, places);
    rest_end_ = compare(some, values_.data(), {even_.data(), odd_.data()}, places, rest_end_);
  }

  // Where most are one value, the others are taken from among them first.
  void count_around(std::uint16_t frequent, std::span<const L> some, std::uint16_t* places) {
    L others[kPlacesN + kTakeSlack / sizeof(L)];
    std::uint16_t found[kPlacesN + kTakeSlack];
    TakenBits bits;
    const std::size_t other_n = take_others(some, values_[frequent], bits, others);
    count({others, other_n}, found);
    even_[frequent] += static_cast<std::uint32_t>(some.size() - other_n);
    for (std::size_t k = 0; k < other_n; ++k) found[k] ^= frequent;
    std::fill_n(found + other_n, kTakeSlack / sizeof(found[0]), std::uint16_t{0});
    std::fill_n(places, some.size(), frequent);
    set_taken(bits, found, {places, some.size()});
  }

  // How many are none of the values.
  std::size_t finish() {
    for (std::size_t i = 0; i < even_.size(); ++i) even_[i] += odd_[i];
    return static_cast<std::size_t>(rest_end_ - rest_);
  }

 private:
  std::span<const L> values_;
  IntervalTree<L> tree_;
  std::span<std::uint32_t> even_;
  std::span<std::uint32_t> odd_;
  L* rest_;
  L* rest_end_;
};

}  // namespace

template <Latent L>
std::size_t count_known(std::span<const L> latents, std::span<const L> values, std::size_t frequent,
                        std::span<std::uint32_t> counts, std::uint16_t* places, L* rest,
                        Arena& arena) {
  const ArenaScope scratch(arena);
  KnownValues<L> known(values, counts, rest, arena);
  for (std::size_t at = 0; at < latents.size(); at += kPlacesN) {
    const std::span<const L> some = latents.subspan(at, std::min(kPlacesN, latents.size() - at));
    if constexpr (sizeof(L) >= 4) {
      if (frequent < values.size()) {
        known.count_around(static_cast<std::uint16_t>(frequent), some, places + at);
        continue;
      }
    }
    known.count(some, places + at);
  }
  return known.finish();
}

#define NUMPACT_INSTANTIATE(L)                                                          \
  template std::size_t count_known(std::span<const L>, std::span<const L>, std::size_t, \
                                   std::span<std::uint32_t>, std::uint16_t*, L*, Arena&);
NUMPACT_INSTANTIATE(std::uint8_t)
NUMPACT_INSTANTIATE(std::uint16_t)
NUMPACT_INSTANTIATE(std::uint32_t)
NUMPACT_INSTANTIATE(std::uint64_t)
#undef NUMPACT_INSTANTIATE

}  // namespace numpact
