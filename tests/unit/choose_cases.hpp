// SPDX-License-Identifier: Apache-2.0
// Numbers of which it is known how they are best encoded.
#pragma once

#include <cmath>
#include <cstring>
#include <vector>

#include "base/internal.hpp"
#include "number/latent_array.hpp"
#include "number/ordered.hpp"
#include "support/random.hpp"

namespace numpact::testing {

// Numbers as ordered latents.
template <class L>
struct Ordered {
  std::vector<L> latents;

  template <class T>
  Ordered(const std::vector<T>& numbers, NumberKind kind) : latents(numbers.size()) {
    static_assert(sizeof(T) == sizeof(L));
    std::memcpy(latents.data(), numbers.data(), numbers.size() * sizeof(T));
    for (L& latent : latents) latent = to_ordered(latent, kind);
  }
  LatentArray array() { return LatentArray(std::span<L>(latents)); }
};

// k / 10^decimals rounded to the nearest float, k a slow walk.
inline std::vector<double> decimals(std::size_t n, double scale, Random& random) {
  std::vector<double> numbers(n);
  double k = 1000;
  for (double& number : numbers) {
    k += std::round(20 * random.normal());
    number = k / scale;
  }
  return numbers;
}

// Around a mean, each drawn to twice the one before less the one before that.
inline std::vector<std::int16_t> oscillations(std::size_t n, Random& random) {
  std::vector<std::int16_t> numbers(n);
  double before = 0;
  double last = 0;
  for (std::int16_t& number : numbers) {
    const double next = 1.6 * last - 0.9 * before + 40 * random.normal();
    before = last;
    last = next;
    number = static_cast<std::int16_t>(std::lround(next));
  }
  return numbers;
}

}  // namespace numpact::testing
