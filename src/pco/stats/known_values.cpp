// SPDX-License-Identifier: Apache-2.0
// Searches the intervals that start at known values, and compares latents with the starts.
#include "pco/stats/known_values.hpp"

#include <algorithm>

#include "pco/stats/intervals.hpp"

namespace numpact::internal {
namespace {

// Two tables of counts, used in turn, so that the increments for a run of one value do not wait for
// each other.
struct CountPair {
  std::uint32_t* even;
  std::uint32_t* odd;
};

// indices[i] is the interval of latents[i], where interval k starts at values[k]. A latent is known
// if it equals the start of its interval. The loop is branch-free: its branches would often be
// mispredicted. Returns the end of `rest`.
//
// Example: values 10, 20; latents 10, 13, 20 have the intervals 0, 0, 1. Only 13 differs from the
// start of its interval: it is copied to `rest`, and its index becomes kUnmatched.
template <Latent L>
L* compare(std::span<const L> latents, const L* values, CountPair counts, std::uint16_t* indices,
           L* rest) {
  const auto count_one = [values, indices](std::size_t i, L latent, std::uint32_t* table,
                                           L*& rest_out) {
    const std::uint16_t index = indices[i];
    const std::uint32_t is_unmatched = values[index] != latent ? 1 : 0;
    *rest_out = latent;
    rest_out += is_unmatched;
    table[index] += is_unmatched ^ 1;
    indices[i] = static_cast<std::uint16_t>(index | (0 - is_unmatched));
  };
  std::size_t i = 0;
  for (; i + 2 <= latents.size(); i += 2) {
    count_one(i, latents[i], counts.even, rest);
    count_one(i + 1, latents[i + 1], counts.odd, rest);
  }
  if (i < latents.size()) count_one(i, latents[i], counts.even, rest);
  return rest;
}

// Counts known values, block by block.
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

  void count(std::span<const L> block, std::uint16_t* indices) {
    find_intervals(tree_, block, indices);
    rest_end_ = compare(block, values_.data(), {even_.data(), odd_.data()}, indices, rest_end_);
  }

  // Most latents of the block equal values[frequent]: only the others are searched. `found` is
  // XORed with `frequent`, since set_taken_symbols() XORs it to the indices, which are `frequent`.
  void count_except(std::uint16_t frequent, std::span<const L> block, std::uint16_t* indices) {
    L other_latents[kTakeBlockN + kTakeSlackBytes / sizeof(L)];
    std::uint16_t found[kTakeBlockN + kTakeSlackBytes];
    TakenBits bits;
    const std::size_t other_n = take_unequal(block, values_[frequent], bits, other_latents);
    count({other_latents, other_n}, found);
    even_[frequent] += static_cast<std::uint32_t>(block.size() - other_n);
    for (std::size_t k = 0; k < other_n; ++k) found[k] ^= frequent;
    std::fill_n(found + other_n, kTakeSlackBytes / sizeof(found[0]), std::uint16_t{0});
    std::fill_n(indices, block.size(), frequent);
    set_taken_symbols(bits, found, {indices, block.size()});
  }

  // Merges the two tables of counts. Returns the count of unmatched latents.
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
                        std::span<std::uint32_t> counts, std::uint16_t* indices, L* rest,
                        Arena& arena) {
  const ArenaScope scratch(arena);
  KnownValues<L> known(values, counts, rest, arena);
  for (std::size_t at = 0; at < latents.size(); at += kTakeBlockN) {
    const std::span<const L> block =
        latents.subspan(at, std::min(kTakeBlockN, latents.size() - at));
    if constexpr (sizeof(L) >= 4) {
      if (frequent < values.size()) {
        known.count_except(static_cast<std::uint16_t>(frequent), block, indices + at);
        continue;
      }
    }
    known.count(block, indices + at);
  }
  return known.finish();
}

// A type cannot be in parentheses. NOLINTBEGIN(bugprone-macro-parentheses)
#define NUMPACT_INSTANTIATE(L)                                                          \
  template std::size_t count_known(std::span<const L>, std::span<const L>, std::size_t, \
                                   std::span<std::uint32_t>, std::uint16_t*, L*, Arena&);
// NOLINTEND(bugprone-macro-parentheses)
NUMPACT_INSTANTIATE(std::uint8_t)
NUMPACT_INSTANTIATE(std::uint16_t)
NUMPACT_INSTANTIATE(std::uint32_t)
NUMPACT_INSTANTIATE(std::uint64_t)
#undef NUMPACT_INSTANTIATE

}  // namespace numpact::internal
