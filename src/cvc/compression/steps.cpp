// SPDX-License-Identifier: Apache-2.0
#include "cvc/compression/steps.hpp"
#include "base/internal.hpp"

#include <limits>

namespace numpact::cvc::internal {

StepRange fit_steps(float low, float high, bool is_finite, bool is_integer, unsigned max_code) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const float width = high - low;
  if (!is_finite || !std::isfinite(width)) return {kNan, kNan};
  const float min = low + 0.0f;  // never -0.0
  const auto steps = static_cast<float>(max_code);
  if (width == 0 || (is_integer && width <= steps)) return {min, 1.0f};
  return {min, width / steps};
}

}  // namespace numpact::cvc::internal
