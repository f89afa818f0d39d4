// SPDX-License-Identifier: Apache-2.0
#include "pco/encode/lookback/optimize/costs.hpp"

#include <algorithm>
#include <cmath>

#include "base/tuned.hpp"
#include "pco/stats/log2.hpp"

namespace numpact::internal {
namespace {

// Added to the count of each width of deltas, so that a width that did not occur has a finite cost:
// about 13 bits in a sample of 1024. Higher values make rare widths cheaper and frequent ones
// dearer.
NUMPACT_TUNED(float, kUnseenWidthCountN, 0.1f);

// Guesses for the first round: the bits of the code of a lookback's width, of a delta of zero, and
// of the code of another delta's width. They are the entropy of eight equally frequent widths of
// lookbacks, of zeros that are half of the deltas, and of eight other widths of deltas. Costs
// that are learned replace them after the first choice.
NUMPACT_TUNED(float, kGuessedLookbackCodeBits, 3);
NUMPACT_TUNED(float, kGuessedZeroDeltaBits, 1);
NUMPACT_TUNED(float, kGuessedDeltaCodeBits, 4);

// In units of 1/64 bit. Smoothed counts may exceed their total, which makes the bits negative; the
// cost then is 0.
std::uint32_t fixed_point(float bits) {
  const float cost = bits * static_cast<float>(1u << kCostFraction) + 0.5f;
  return cost > 0 ? static_cast<std::uint32_t>(cost) : 0;
}

std::size_t width_of(std::uint32_t lookback) {
  return static_cast<std::size_t>(std::bit_width(lookback));
}

// Bits of a delta beyond the code of its width.
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
      lookback_costs_(arena.make<std::uint16_t>(counts.size() + 1)),  // kernels read pairs
      arena_(arena) {
  lookback_costs_.back() = 0;
}

void LookbackCosts::guess() {
  SharedBits shared{};
  for (std::size_t width = 1; width < kWidths; ++width) {
    shared[width] = kGuessedLookbackCodeBits + static_cast<float>(width - 1);
  }
  set_shared_costs(shared);
  for (std::size_t c = 0; c < kDeltaClasses; ++c) {
    const unsigned width = static_cast<unsigned>(word_bits_ == 64 ? 2 * c : c);
    delta_costs_[c] = fixed_point(
        c == 0 ? kGuessedZeroDeltaBits : kGuessedDeltaCodeBits + offset_bits(width, unused_bits_));
  }
  frequent_.n = 0;
  while (frequent_.n < kMaxFrequent && frequent_.n + 1 < counts_.size()) {
    const std::uint32_t lookback = static_cast<std::uint32_t>(frequent_.n + 1);
    frequent_.lookbacks[frequent_.n] = lookback;
    frequent_.costs[frequent_.n++] = lookback_costs_[lookback];
  }
  frequent_.min_other_cost = lookback_costs_[std::min(frequent_.n + 1, counts_.size() - 1)];
}

float LookbackCosts::learn(const ChosenLookbacks& chosen) {
  return (learn_lookbacks(chosen) + learn_deltas(chosen)) / static_cast<float>(chosen.n);
}

// Sets counted to the distinct lookbacks with their counts, and adds these up by width. Returns how
// many there are. counted: one longer than lookbacks.
std::size_t LookbackCosts::count_distinct(std::span<const std::uint32_t> lookbacks,
                                          std::span<Counted> counted,
                                          std::array<std::uint32_t, kWidths>& width_counts) {
  std::size_t distinct = 0;
  for (const std::uint32_t lookback : lookbacks) {
    counted[distinct].lookback = lookback;
    distinct += counts_[lookback]++ == 0 ? 1 : 0;
  }
  for (Counted& one : counted.first(distinct)) {
    one.count = counts_[one.lookback];
    width_counts[width_of(one.lookback)] += one.count;
    counts_[one.lookback] = 0;
  }
  return distinct;
}

// A frequent lookback is coded by a bin of its own, the others by a bin that they share with those
// of the same width.
float LookbackCosts::learn_lookbacks(const ChosenLookbacks& chosen) {
  const ArenaScope scratch(arena_);
  const float total = fast_log2(static_cast<float>(chosen.n));
  const std::span<Counted> counted = arena_.make<Counted>(chosen.n + 1);
  std::array<std::uint32_t, kWidths> width_counts{};
  const std::size_t distinct =
      count_distinct(chosen.lookbacks.first(chosen.n), counted, width_counts);
  // Leave one out: a lookback is charged by the counts of the other latents that chose it. In a
  // part of the page one that occurs once stands for many that do not occur. It would seem cheap to
  // the very latent that it was learned from.
  const float unseen = chosen.scale > kMinPartScale ? 1.0f : 0.0f;
  const auto own_bits = [&](const Counted& one) {
    const float count = static_cast<float>(one.count) - unseen;
    if (count <= 0) return HUGE_VALF;
    return total - fast_log2(count) + kLookbackBinBits / (count * chosen.scale);
  };
  const auto shared_bits = [&](std::size_t width, float count) {
    return total - fast_log2(count) + static_cast<float>(width - 1);
  };
  SharedBits shared{};
  for (std::size_t width = 1; width < kWidths; ++width) {
    shared[width] = shared_bits(width, static_cast<float>(width_counts[width] + 1));
  }
  // Moves those with bins of their own to the front.
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
  set_shared_costs(shared);
  for (const Counted& one : counted.first(owners)) {
    lookback_costs_[one.lookback] = static_cast<std::uint16_t>(fixed_point(own_bits(one)));
  }
  float min_bits = own_bits(set_frequent(counted.first(distinct)));
  // From 2 on: 1 is the only lookback of its width, and always among the frequent ones.
  for (std::size_t width = 2; width <= width_of(static_cast<std::uint32_t>(counts_.size() - 1));
       ++width) {
    min_bits = std::min(min_bits, shared[width]);
  }
  // One less, as logarithms are approximate: a rarer lookback may cost a little less.
  frequent_.min_other_cost = std::max(fixed_point(min_bits), std::uint32_t{1}) - 1;
  return bits;
}

// Charges every lookback by its width.
void LookbackCosts::set_shared_costs(const SharedBits& shared) {
  for (std::size_t width = 1; width < kWidths; ++width) {
    const std::size_t begin = std::size_t{1} << (width - 1);
    if (begin >= counts_.size()) return;
    const std::size_t end = std::min(2 * begin, counts_.size());
    std::fill(lookback_costs_.begin() + static_cast<std::ptrdiff_t>(begin),
              lookback_costs_.begin() + static_cast<std::ptrdiff_t>(end),
              static_cast<std::uint16_t>(fixed_point(shared[width])));
  }
}

// Sets the frequent lookbacks, the most frequent first, then 1 in any case, as it is valid from a
// page's second latent on. Returns the rarest one before that: all others are at most as frequent.
LookbackCosts::Counted LookbackCosts::set_frequent(std::span<const Counted> counted) {
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
    frequent_.costs[k] = lookback_costs_[top[k].lookback];
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
    const float count = seen + kUnseenWidthCountN;
    const float cost = total - fast_log2(count) + offset_bits(width, unused_bits_);
    bits += seen * cost;
    class_bits[c] += count * cost;
    class_counts[c] += count;
  }
  for (std::size_t c = 0; c < kDeltaClasses; ++c) {
    if (class_counts[c] == 0) {
      delta_costs_[c] = delta_costs_[c - 1];  // no delta has this class
      continue;
    }
    const float cost = class_bits[c] / class_counts[c];
    delta_costs_[c] = fixed_point(cost);
  }
  return bits;
}

}  // namespace numpact::internal
