// SPDX-License-Identifier: Apache-2.0
// Chooses the size of the tANS table by estimated cost, then adjusts rounded weights to its size.
#include "pco/bins/weights.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "pco/stats/log2.hpp"

namespace numpact::internal {
namespace {

std::uint32_t nearest_weight(std::uint32_t count, double scale) {
  return std::max(1u, static_cast<std::uint32_t>(std::lround(count * scale)));
}

// Code bits of all latents under rounded weights, scaled to add up to the table size.
double estimate_bits(std::span<const std::uint32_t> counts, double total, unsigned size_log) {
  const double scale = std::ldexp(1.0, static_cast<int>(size_log)) / total;
  double bits = 0;
  double weight_sum = 0;
  for (const std::uint32_t count : counts) {
    const std::uint32_t weight = nearest_weight(count, scale);
    weight_sum += weight;
    bits -= count * static_cast<double>(fast_log2(static_cast<float>(weight)));
  }
  return bits + total * static_cast<double>(fast_log2(static_cast<float>(weight_sum)));
}

// Changes weights by one, the cheapest change first, until they add up to `size`.
void adjust_sum(std::span<const std::uint32_t> counts, std::uint32_t size,
                std::span<std::uint32_t> weights, Arena& arena) {
  std::int64_t excess = -static_cast<std::int64_t>(size);
  for (const std::uint32_t weight : weights) excess += weight;
  const bool shrink = excess > 0;
  struct Move {
    double cost;
    std::size_t at;
    // Orders a heap with the cheapest move on top; of equal costs the first bin is on top.
    bool operator<(const Move& other) const {
      return cost != other.cost ? cost > other.cost : at > other.at;
    }
  };
  const auto move_of = [&](std::size_t i) {
    // The derivative of count * log2(weight) midway between both weights, up to a constant factor.
    return Move{shrink ? counts[i] / (weights[i] - 0.5) : -(counts[i] / (weights[i] + 0.5)), i};
  };
  const ArenaScope scratch(arena);
  const std::span<Move> heap = arena.make<Move>(weights.size());
  std::size_t heap_n = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!shrink || weights[i] > 1) heap[heap_n++] = move_of(i);
  }
  const auto begin = heap.begin();
  auto end = begin + static_cast<std::ptrdiff_t>(heap_n);
  std::make_heap(begin, end);
  for (; excess != 0; excess += shrink ? -1 : 1) {
    std::pop_heap(begin, end);
    const std::size_t at = (end - 1)->at;
    weights[at] += shrink ? ~0u : 1u;
    if (shrink && weights[at] == 1) {
      --end;
      continue;
    }
    *(end - 1) = move_of(at);
    std::push_heap(begin, end);
  }
}

}  // namespace

WeightsChoice choose_weights(std::span<const std::uint32_t> counts, const TableSizes& sizes,
                             Arena& arena) {
  const std::span<std::uint32_t> weights = arena.make<std::uint32_t>(counts.size());
  if (counts.size() <= 1) {
    std::fill(weights.begin(), weights.end(), 1);
    return {0, weights};
  }
  double total = 0;
  for (const std::uint32_t count : counts) total += count;
  const unsigned min_log = static_cast<unsigned>(std::bit_width(counts.size() - 1));
  unsigned best_log = std::max(min_log, 1u);
  double best_bits = HUGE_VAL;
  for (unsigned log = best_log; log <= std::max(best_log, sizes.max_size_log); ++log) {
    const double bits =
        estimate_bits(counts, total, log) + log * static_cast<double>(counts.size());
    if (bits < (log > kSmallTableSizeLog ? 1 - sizes.large_table_penalty_share : 1) * best_bits) {
      best_bits = bits;
      best_log = log;
    }
  }
  const double scale = std::ldexp(1.0, static_cast<int>(best_log)) / total;
  for (std::size_t i = 0; i < counts.size(); ++i) weights[i] = nearest_weight(counts[i], scale);
  adjust_sum(counts, std::uint32_t{1} << best_log, weights, arena);
  return {best_log, weights};
}

}  // namespace numpact::internal
