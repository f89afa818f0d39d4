// SPDX-License-Identifier: Apache-2.0
// Sums over the lanes of a warp, wrapping.
#ifndef NUMPACT_GPU_WALK_SUMS_HPP
#define NUMPACT_GPU_WALK_SUMS_HPP

#include <type_traits>

#include "gpu/walk/view.hpp"

namespace numpact::gpu {

// What sums of latents are made in: lanes exchange no less than 32 bits.
template <class L>
using SumOf = std::conditional_t<sizeof(L) == 8, std::uint64_t, std::uint32_t>;

template <class T>
struct Sums {
  T before;  // of the lanes below
  T all;
};

template <class T, class Warp>
NUMPACT_HD Sums<T> sum_lanes(Warp& warp, T value) {
  T sum = value;
  for (unsigned distance = 1; distance < kLanes; distance *= 2) {
    const T below = warp.from_below(sum, distance);
    if (warp.lane() >= distance) sum += below;
  }
  return {sum - value, warp.from(sum, kLanes - 1)};
}

}  // namespace numpact::gpu

#endif
