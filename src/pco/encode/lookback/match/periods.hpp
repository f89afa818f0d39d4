// SPDX-License-Identifier: Apache-2.0
// Finds distances at which latents often recur, exactly or nearly.
#pragma once

#include <array>
#include <span>

#include "base/arena.hpp"
#include "number/latent.hpp"

namespace numpact::internal {

struct Periods {
  // Callers price each period, so further ones are dropped to bound their time.
  static constexpr std::size_t kMaxPeriodsN = 24;
  std::array<std::uint32_t, kMaxPeriodsN> distances{};
  std::size_t n = 0;

  // Ignores a distance that is already there.
  void add(std::uint32_t distance);
  std::span<const std::uint32_t> all() const& { return std::span(distances).first(n); }
  std::span<const std::uint32_t> all() const&& = delete;  // would dangle
};

// Length of the window of a page in which periods are sought.
std::size_t period_window_n(std::size_t page_n);

// Distances at which latents of the window are often similar, and common divisors of them. All are
// at least min_distance and at most half of the window.
template <Latent L>
Periods find_periods(std::span<const L> window, std::size_t min_distance, Arena& arena);

}  // namespace numpact::internal
