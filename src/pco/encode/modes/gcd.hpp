// SPDX-License-Identifier: Apache-2.0
// Greatest common divisors of integers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace numpact::internal {

// The greatest common divisor; if one number is 0, the other.
constexpr std::uint64_t binary_gcd(std::uint64_t a, std::uint64_t b) {
  if (a == 0 || b == 0) return a | b;
  const int shift = std::countr_zero(a | b);
  a >>= std::countr_zero(a);
  while (b != 0) {
    // Branchless: which number is smaller is unpredictable.
    b >>= std::countr_zero(b);
    const std::uint64_t less = std::min(a, b);
    b = std::max(a, b) - less;
    a = less;
  }
  return a << shift;
}

}  // namespace numpact::internal
