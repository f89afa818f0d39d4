// SPDX-License-Identifier: Apache-2.0
// Distances at which latents come back, nearly or wholly.
#ifndef NUMPACT_PCO_ENCODE_LOOKBACK_MATCH_PERIODS_HPP
#define NUMPACT_PCO_ENCODE_LOOKBACK_MATCH_PERIODS_HPP

#include <array>
#include <span>

#include "base/arena.hpp"
#include "number/latent.hpp"

namespace numpact {

struct Periods {
  static constexpr std::size_t kMost = 24;
  std::array<std::uint32_t, kMost> distances{};
  std::size_t n = 0;

  // Each once.
  void add(std::uint32_t distance);
  std::span<const std::uint32_t> all() const& { return std::span(distances).first(n); }
  std::span<const std::uint32_t> all() const&& = delete;  // of what is gone
};

// How long a stretch of a page tells its periods.
std::size_t period_stretch_n(std::size_t page_n);

// Those at which latents of the stretch are often alike, and their common divisors: at least
// `least` and less than half of the stretch.
template <Latent L>
Periods find_periods(std::span<const L> stretch, std::size_t least, Arena& arena);

}  // namespace numpact

#endif
