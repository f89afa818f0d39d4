// SPDX-License-Identifier: Apache-2.0
// Finds one distance at which all numbers look back: rows of grids and images, interleaved
// channels, series side by side, and sampled clocks, x[i] = x[i - p] + c. The lookbacks then cost
// nothing. The search for a lookback of each number misses such a distance where numbers at it are
// similar but not equal, or lie further apart than its windows.
#pragma once

#include <optional>
#include <span>

#include "pco/encode/estimate/binned.hpp"

namespace numpact::internal {

struct FixedLookback {
  std::uint32_t distance;
  AnyMode mode;
  bool secondary;  // the secondary variable is delta encoded, too
  float bits;      // per number, without a penalty
};

// The best distance of a page of ordered latents under one of the modes or Classic, if there is one
// at which numbers are more similar than they are to their neighbours, and than any two.
// Dictionaries among the estimates are ignored. With may_change_mode false, only the first mode is
// tried.
std::optional<FixedLookback> find_fixed_lookback(const LatentArray& page,
                                                 std::span<const Estimate> estimates,
                                                 bool may_change_mode, Arena& arena);

}  // namespace numpact::internal
