// SPDX-License-Identifier: Apache-2.0
// Typical and adversarial data for encoders, for every number type.
#pragma once

#include <string_view>
#include <vector>

#include "support/numbers.hpp"
#include "support/random.hpp"

namespace numpact::testing {

// All names; those for floats only behave like "uniform" for integers.
const std::vector<std::string_view>& distribution_names();

Numbers make_numbers(std::string_view distribution, NumberType type, std::size_t n, Random& random);

}  // namespace numpact::testing
