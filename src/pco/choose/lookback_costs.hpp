// SPDX-License-Identifier: Apache-2.0
// What lookbacks and the deltas under them cost, learned from those chosen before.
#ifndef NUMPACT_PCO_CHOOSE_LOOKBACK_COSTS_HPP
#define NUMPACT_PCO_CHOOSE_LOOKBACK_COSTS_HPP

#include <array>
#include <span>

#include "base/arena.hpp"
#include "pco/choose/lookback_kernel.hpp"

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

class LookbackCosts {
 public:
  // For lookbacks below n, and deltas of so many bits.
  LookbackCosts(std::size_t n, unsigned delta_bits, std::size_t max_frequent, Arena& arena);

  // As if lookbacks were spread evenly over their widths; the nearest are the frequent ones.
  void guess();
  // Returns the bits for each latent.
  float learn(const ChosenLookbacks& chosen);

  std::uint32_t of(std::uint32_t lookback) const { return costs_[lookback]; }
  template <Latent L>
  std::uint32_t of_delta(L delta) const {
    return delta_costs_[class_of_width<L>(signed_width(delta))];
  }
  const DeltaCosts& delta_costs() const { return delta_costs_; }
  const FrequentLookbacks& frequent() const { return frequent_; }
  // The least cost that a lookback which is not among the frequent could have, delta included.
  std::uint32_t least_elsewhere() const { return least_elsewhere_; }

 private:
  struct Counted {
    std::uint32_t count;
    std::uint32_t lookback;
  };
  static constexpr std::size_t kWidths = 33;

  float learn_lookbacks(const ChosenLookbacks& chosen);
  float learn_deltas(const ChosenLookbacks& chosen);
  void share(const std::array<float, kWidths>& shared);
  void find_frequent(std::span<const Counted> counted);
  void find_least_elsewhere(std::span<const Counted> counted);

  unsigned delta_bits_;
  std::size_t max_frequent_;
  std::span<std::uint32_t> counts_;  // all zero between calls
  std::span<std::uint16_t> costs_;
  std::array<std::uint32_t, kWidths> shared_{};
  DeltaCosts delta_costs_{};
  FrequentLookbacks frequent_;
  std::uint32_t least_elsewhere_ = 0;
  Arena& arena_;
};

}  // namespace numpact

#endif
