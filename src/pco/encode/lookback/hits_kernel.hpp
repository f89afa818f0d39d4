// SPDX-License-Identifier: Apache-2.0
// Counts how often keys at each distance before a few anchors are close to the anchor's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace numpact::internal {

// Anchors that are compared at a time, so that hits are loaded and stored less often.
inline constexpr std::size_t kAnchorGroupN = 4;
using Anchors = std::array<const std::uint16_t*, kAnchorGroupN>;

// Adds to hits[j], j < n, the number of anchors for which before[j] differs by at most 1,
// modulo 2^16, from the anchor's key, before[n].
void add_hits(const Anchors& before, std::uint16_t* hits, std::size_t n);

}  // namespace numpact::internal
