// SPDX-License-Identifier: Apache-2.0
// Division that rounds towards minus infinity, needed for times before 1970.
#pragma once

#include <cstdint>

namespace numpact::cli {

// `by` must be positive.
constexpr std::int64_t floor_divide(std::int64_t number, std::int64_t by) {
  const std::int64_t quotient = number / by;
  return number % by < 0 ? quotient - 1 : quotient;
}

}  // namespace numpact::cli
