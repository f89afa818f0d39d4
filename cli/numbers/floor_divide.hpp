// SPDX-License-Identifier: Apache-2.0
// Division that rounds towards minus infinity, needed for times before 1970.
#ifndef NUMPACT_CLI_NUMBERS_FLOOR_DIVIDE_HPP
#define NUMPACT_CLI_NUMBERS_FLOOR_DIVIDE_HPP

#include <cstdint>

namespace numpact::cli {

// `by` must be positive.
constexpr std::int64_t floor_divide(std::int64_t number, std::int64_t by) {
  const std::int64_t quotient = number / by;
  return number % by < 0 ? quotient - 1 : quotient;
}

}  // namespace numpact::cli

#endif
