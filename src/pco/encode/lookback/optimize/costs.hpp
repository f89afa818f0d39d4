// SPDX-License-Identifier: Apache-2.0
// The costs of lookbacks and of the deltas under them, learned from lookbacks chosen before.
#pragma once

#include <array>
#include <span>

#include "base/arena.hpp"
#include "base/tuned.hpp"
#include "pco/encode/lookback/optimize/search_kernel.hpp"

namespace numpact::internal {

// The metadata of a bin for one lookback, which its uses share: 32 bits of lower bound, about 10 of
// weight and 6 of offset width. Higher values leave rare lookbacks to bins that they share with
// others.
NUMPACT_TUNED(float, kLookbackBinBits, 50);

// If the page has more than this many latents for each counted one, the counts are those of a part.
// A ratio slightly above 1 is rounding of blocks at the page's end.
NUMPACT_TUNED(float, kMinPartScale, 1.5f);

// The lookbacks chosen for some of a page's latents.
struct ChosenLookbacks {
  std::span<std::uint32_t> lookbacks;
  std::size_t n = 0;
  std::array<std::uint32_t, 65> widths{};  // how many deltas have each signed width
  float scale = 1;                         // latents of the page for each of the n

  void clear() {
    n = 0;
    widths.fill(0);
  }
  void add(std::uint32_t lookback, unsigned width) {
    lookbacks[n++] = lookback;
    ++widths[width];
  }
};

// Bits per delta of n deltas, by the entropy of their signed widths.
float width_bits(const std::array<std::uint32_t, 65>& widths, std::size_t n, unsigned unused_bits);

// Zeros, for the costs of lookbacks below n.
inline std::span<std::uint32_t> make_counts(std::size_t n, Arena& arena) {
  const std::span<std::uint32_t> counts = arena.make<std::uint32_t>(n);
  std::fill(counts.begin(), counts.end(), 0);
  return counts;
}

class LookbackCosts {
 public:
  // For lookbacks from 1 to counts.size() - 1, and deltas in words of word_bits, the lowest
  // unused_bits of which are 0. counts: scratch memory, all zeros before and after each call, so
  // several objects may share it.
  LookbackCosts(std::span<std::uint32_t> counts, unsigned word_bits, unsigned unused_bits,
                std::size_t max_frequent, Arena& arena);

  // Costs for a start: lookbacks cost their width, and the kMaxFrequent nearest are frequent.
  void guess();
  // Derives the costs from the lookbacks. Returns the bits per latent that these take.
  float learn(const ChosenLookbacks& chosen);

  // By lookback; readable for one more than there are.
  const std::uint16_t* lookback_costs() const { return lookback_costs_.data(); }
  const DeltaCosts& delta_costs() const { return delta_costs_; }
  const FrequentLookbacks& frequent() const { return frequent_; }

 private:
  struct Counted {
    std::uint32_t count;
    std::uint32_t lookback;
  };
  // Bit widths of 32-bit words: 0 to 32.
  static constexpr std::size_t kWidths = 33;
  using SharedBits = std::array<float, kWidths>;

  std::size_t count_distinct(std::span<const std::uint32_t> lookbacks, std::span<Counted> counted,
                             std::array<std::uint32_t, kWidths>& width_counts);
  float learn_lookbacks(const ChosenLookbacks& chosen);
  float learn_deltas(const ChosenLookbacks& chosen);
  void set_shared_costs(const SharedBits& shared);
  Counted set_frequent(std::span<const Counted> counted);

  unsigned word_bits_;
  unsigned unused_bits_;
  std::size_t max_frequent_;
  std::span<std::uint32_t> counts_;
  std::span<std::uint16_t> lookback_costs_;
  DeltaCosts delta_costs_{};
  FrequentLookbacks frequent_;
  Arena& arena_;
};

}  // namespace numpact::internal
