// SPDX-License-Identifier: Apache-2.0
#include "pco/encode/lookback/optimize/costs.hpp"

#include <algorithm>
#include <cmath>

#include "pco/stats/log2.hpp"

namespace numpact {
namespace {

// What a bin of its own costs in the metadata, spread over the lookback's uses.
constexpr float kMetaBits = 50;
// Counts of what did not occur, for its cost.
constexpr float kUnseen = 0.1f;

// Counts with what was not seen added may exceed their total: then nothing, as no cost is below it.
std::uint32_t fixed(float bits) {
  const float cost = bits * static_cast<float>(1u << kCostFraction) + 0.5f;
  return cost > 0 ? static_cast<std::uint32_t>(cost) : 0;
}

std::size_t width_of(std::uint32_t lookback) {
  return static_cast<std::size_t>(std::bit_width(lookback));
}

// Bits that a delta of the width takes beyond its width's code.
float offset_bits(unsigned width, unsigned unused_bits) {
  return width > unused_bits ? static_cast<float>(width - unused_bits - 1) : 0;
}

}  // namespace

float width_bits(const std::array<std::uint32_t, 65>& widths, std::size_t n, unsigned unused_bits) {
  const float total = fast_log2(static_cast<float>(n));
  float bits = 0;
  for (unsigned width = 0; width < widths.size(); ++width) {
    if (widths[width] == 0) continue;
    const float count = static_cast<float>(widths[width]);
    bits += count * (total - fast_log2(count) + offset_bits(width, unused_bits));
  }
  return bits / static_cast<float>(n);
}

LookbackCosts::LookbackCosts(std::span<std::uint32_t> counts, unsigned word_bits,
                             unsigned unused_bits, std::size_t max_frequent, Arena& arena)
    : word_bits_(word_bits),
      unused_bits_(unused_bits),
      max_frequent_(std::min(max_frequent, kMaxFrequent)),
      counts_(counts),
      costs_(arena.make<std::uint16_t>(counts.size() + 1)),  // read by pairs
      arena_(arena) {
  costs_.back() = 0;
}

void LookbackCosts::guess() {
  std::array<float, kWidths> shared{};
  for (std::size_t width = 1; width < kWidths; ++width) {
    shared[width] = 3 + static_cast<float>(width - 1);
  }
  share(shared);
  for (std::size_t c = 0; c < kDeltaClasses; ++c) {
    const unsigned width = static_cast<unsigned>(word_bits_ == 64 ? 2 * c : c);
    delta_costs_[c] = fixed(c == 0 ? 1 : 4 + offset_bits(width, unused_bits_));
  }
  frequent_.n = 0;
  while (frequent_.n < kMaxFrequent && frequent_.n + 1 < counts_.size()) {
    const std::uint32_t lookback = static_cast<std::uint32_t>(frequent_.n + 1);
    frequent_.lookbacks[frequent_.n] = lookback;
    frequent_.costs[frequent_.n++] = costs_[lookback];
  }
  frequent_.least_of_others = costs_[std::min(frequent_.n + 1, counts_.size() - 1)];
}

float LookbackCosts::learn(const ChosenLookbacks& chosen) {
  return (learn_lookbacks(chosen) + learn_deltas(chosen)) / static_cast<float>(chosen.n);
}

// A lookback is coded by a bin of its own if it is frequent, else by one that it shares with others
// of about its size.
float LookbackCosts::learn_lookbacks(const ChosenLookbacks& chosen) {
  const ArenaScope scratch(arena_);
  const std::span<const std::uint32_t> lookbacks = chosen.lookbacks.first(chosen.n);
  const float total = fast_log2(static_cast<float>(chosen.n));
  const std::span<Counted> counted = arena_.make<Counted>(chosen.n + 1);
  std::size_t distinct = 0;
  for (const std::uint32_t lookback : lookbacks) {
    counted[distinct].lookback = lookback;
    distinct += counts_[lookback]++ == 0 ? 1 : 0;
  }
  std::array<std::uint32_t, kWidths> width_counts{};
  for (Counted& one : counted.first(distinct)) {
    one.count = counts_[one.lookback];
    width_counts[width_of(one.lookback)] += one.count;
    counts_[one.lookback] = 0;
  }
  // By the others that chose it: one that occurs once among some stands for many that do not occur
  // among them, and would seem cheap to the one latent that taught it.
  const float unseen = chosen.scale > 1.5f ? 1.0f : 0.0f;
  const auto own_bits = [&](const Counted& one) {
    const float count = static_cast<float>(one.count) - unseen;
    if (count <= 0) return HUGE_VALF;
    return total - fast_log2(count) + kMetaBits / (count * chosen.scale);
  };
  const auto shared_bits = [&](std::size_t width, float count) {
    return total - fast_log2(count) + static_cast<float>(width - 1);
  };
  std::array<float, kWidths> shared{};
  for (std::size_t width = 1; width < kWidths; ++width) {
    shared[width] = shared_bits(width, static_cast<float>(width_counts[width] + 1));
  }
  // Those with bins of their own to the front.
  float bits = 0;
  std::size_t owners = 0;
  for (std::size_t i = 0; i < distinct; ++i) {
    const Counted one = counted[i];
    const float own = own_bits(one);
    if (own >= shared[width_of(one.lookback)]) continue;
    width_counts[width_of(one.lookback)] -= one.count;
    bits += (static_cast<float>(one.count) - unseen) * own;
    counted[i] = counted[owners];
    counted[owners++] = one;
  }
  for (std::size_t width = 1; width < kWidths; ++width) {
    const float count = static_cast<float>(width_counts[width]);
    shared[width] = shared_bits(width, count + 1);
    bits += count * shared[width];
  }
  share(shared);
  for (const Counted& one : counted.first(owners)) {
    costs_[one.lookback] = static_cast<std::uint16_t>(fixed(own_bits(one)));
  }
  const Counted rarest = find_frequent(counted.first(distinct));
  float least = own_bits(rarest);
  // 1, the only one of its width, is always among the frequent ones.
  for (std::size_t width = 2; width <= width_of(static_cast<std::uint32_t>(counts_.size() - 1));
       ++width) {
    least = std::min(least, shared[width]);
  }
  // Logarithms are approximate: a rarer one may be found to cost a little less.
  frequent_.least_of_others = std::max(fixed(least), std::uint32_t{1}) - 1;
  return bits;
}

void LookbackCosts::share(const std::array<float, kWidths>& shared) {
  for (std::size_t width = 1; width < kWidths; ++width) {
    const std::size_t begin = std::size_t{1} << (width - 1);
    if (begin >= counts_.size()) return;
    const std::size_t end = std::min(2 * begin, counts_.size());
    std::fill(costs_.begin() + static_cast<std::ptrdiff_t>(begin),
              costs_.begin() + static_cast<std::ptrdiff_t>(end),
              static_cast<std::uint16_t>(fixed(shared[width])));
  }
}

// The most frequent first, and 1 in any case: it reaches no further than a page's first latent.
// Returns the last before that; others are no more frequent.
LookbackCosts::Counted LookbackCosts::find_frequent(std::span<const Counted> counted) {
  std::array<Counted, kMaxFrequent> top{};
  std::size_t taken = 0;
  const auto before = [](const Counted& a, const Counted& b) {
    return a.count != b.count ? a.count > b.count : a.lookback < b.lookback;
  };
  for (const Counted& one : counted) {
    if (one.lookback == 1 || one.count < 2) continue;
    if (taken + 1 == max_frequent_ && !before(one, top[taken - 1])) continue;
    std::size_t at = taken + 1 < max_frequent_ ? taken++ : taken - 1;
    for (; at > 0 && before(one, top[at - 1]); --at) top[at] = top[at - 1];
    top[at] = one;
  }
  const bool is_full = taken + 1 == max_frequent_ && taken > 0;
  const Counted rarest = is_full ? top[taken - 1] : Counted{2, 0};
  top[taken++] = {0, 1};
  frequent_.n = taken;
  for (std::size_t k = 0; k < taken; ++k) {
    frequent_.lookbacks[k] = top[k].lookback;
    frequent_.costs[k] = costs_[top[k].lookback];
  }
  return rarest;
}

float LookbackCosts::learn_deltas(const ChosenLookbacks& chosen) {
  const float total = fast_log2(static_cast<float>(chosen.n));
  float bits = 0;
  std::array<float, kDeltaClasses> class_bits{};
  std::array<float, kDeltaClasses> class_counts{};
  for (unsigned width = 0; width <= word_bits_; ++width) {
    const unsigned c = word_bits_ == 64 ? class_of_width<std::uint64_t>(width)
                                        : class_of_width<std::uint32_t>(width);
    const float seen = static_cast<float>(chosen.widths[width]);
    const float count = seen + kUnseen;
    const float cost = total - fast_log2(count) + offset_bits(width, unused_bits_);
    bits += seen * cost;
    class_bits[c] += count * cost;
    class_counts[c] += count;
  }
  for (std::size_t c = 0; c < kDeltaClasses; ++c) {
    if (class_counts[c] == 0) {
      delta_costs_[c] = delta_costs_[c - 1];  // cannot occur
      continue;
    }
    const float cost = class_bits[c] / class_counts[c];
    delta_costs_[c] = fixed(cost);
  }
  return bits;
}

}  // namespace numpact
