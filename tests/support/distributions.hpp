// SPDX-License-Identifier: Apache-2.0
// Kinds of data that encoders meet or fear, for every number type.
#ifndef NUMPACT_TESTS_SUPPORT_DISTRIBUTIONS_HPP
#define NUMPACT_TESTS_SUPPORT_DISTRIBUTIONS_HPP

#include <string_view>
#include <vector>

#include "support/numbers.hpp"
#include "support/random.hpp"

namespace numpact::testing {

// Every name; those that only floats have behave like "uniform" for integers.
const std::vector<std::string_view>& distribution_names();

Numbers make_numbers(std::string_view distribution, NumberType type, std::size_t n, Random& random);

}  // namespace numpact::testing

#endif
