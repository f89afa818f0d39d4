// SPDX-License-Identifier: Apache-2.0
// What lookbacks and the deltas under them cost, learned from those chosen before.
#ifndef NUMPACT_PCO_ENCODE_LOOKBACK_OPTIMIZE_COSTS_HPP
#define NUMPACT_PCO_ENCODE_LOOKBACK_OPTIMIZE_COSTS_HPP

#include <array>
#include <span>

#include "base/arena.hpp"
#include "pco/encode/lookback/optimize/search_kernel.hpp"

namespace numpact {

// What was chosen for some of a page's latents.
struct ChosenLookbacks {
  std::span<std::uint32_t> lookbacks;
  std::size_t n = 0;
  std::array<std::uint32_t, 65> widths{};  // how many deltas have each signed width
  float scale = 1;                         // the page's latents for each

  void clear() {
    n = 0;
    widths.fill(0);
  }
  void add(std::uint32_t lookback, unsigned width) {
    lookbacks[n++] = lookback;
    ++widths[width];
  }
};

// Bits for each of n deltas, by the entropy of their signed widths.
float width_bits(const std::array<std::uint32_t, 65>& widths, std::size_t n, unsigned unused_bits);

// For the costs of lookbacks below n.
inline std::span<std::uint32_t> make_counts(std::size_t n, Arena& arena) {
  const std::span<std::uint32_t> counts = arena.make<std::uint32_t>(n);
  std::fill(counts.begin(), counts.end(), 0);
  return counts;
}

class LookbackCosts {
 public:
  // For lookbacks below counts.size(), and deltas in words of so many bits, some of them unused.
  // counts: all zero between calls.
  LookbackCosts(std::span<std::uint32_t> counts, unsigned word_bits, unsigned unused_bits,
                std::size_t max_frequent, Arena& arena);

  // As if lookbacks were spread evenly over their widths; the nearest are the frequent ones.
  void guess();
  // Returns the bits for each latent.
  float learn(const ChosenLookbacks& chosen);

  const std::uint16_t* of_lookbacks() const { return costs_.data(); }
  const DeltaCosts& of_deltas() const { return delta_costs_; }
  const FrequentLookbacks& frequent() const { return frequent_; }

 private:
  struct Counted {
    std::uint32_t count;
    std::uint32_t lookback;
  };
  static constexpr std::size_t kWidths = 33;

  float learn_lookbacks(const ChosenLookbacks& chosen);
  float learn_deltas(const ChosenLookbacks& chosen);
  void share(const std::array<float, kWidths>& shared);
  Counted find_frequent(std::span<const Counted> counted);

  unsigned word_bits_;
  unsigned unused_bits_;
  std::size_t max_frequent_;
  std::span<std::uint32_t> counts_;
  std::span<std::uint16_t> costs_;
  DeltaCosts delta_costs_{};
  FrequentLookbacks frequent_;
  Arena& arena_;
};

}  // namespace numpact

#endif
