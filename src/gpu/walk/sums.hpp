// SPDX-License-Identifier: Apache-2.0
// Prefix sums over the lanes of a warp, modulo 2^32 or 2^64.
#pragma once

#include <type_traits>

#include "base/internal.hpp"
#include "gpu/walk/view.hpp"

namespace numpact::gpu {

// The type for sums of latents: lanes exchange at least 32 bits.
template <class L>
using SumOf = std::conditional_t<sizeof(L) == 8, std::uint64_t, std::uint32_t>;

template <class T>
struct Sums {
  T before;  // sum of the lanes below
  T all;     // sum of all lanes
};

// An inclusive scan in 5 steps: after the step with distance d each lane has the sum of the last
// 2 d lanes up to itself.
template <class T, class Warp>
NUMPACT_HD Sums<T> sum_lanes(Warp& warp, T value) {
  T sum = value;
  for (unsigned distance = 1; distance < kLanes; distance *= 2) {
    sum = warp.plus_below(sum, distance);
  }
  return {sum - value, warp.from(sum, kLanes - 1)};
}

}  // namespace numpact::gpu
