// SPDX-License-Identifier: Apache-2.0
// Rounding that depends on nothing but the default floating-point environment.
#pragma once

#include <cmath>
#include <limits>

namespace numpact::internal {

// The nearest whole number, the even one of two, with the sign of `number`; NaN for NaN. Some
// systems compute std::rint() and std::nearbyint() in the x87 unit, whose rounding mode is the
// caller's and not that of DefaultFloatEnvironment.
//
// Adding 2^52 to a double below it leaves no bits for a fraction: the addition rounds.
template <class T>
inline T round_to_even(T number) {
  constexpr T kWhole = 1 / std::numeric_limits<T>::epsilon();  // larger floats are whole numbers
  const T magnitude = std::abs(number);
  if (!(magnitude < kWhole)) return number;
  return std::copysign((magnitude + kWhole) - kWhole, number);
}

}  // namespace numpact::internal
