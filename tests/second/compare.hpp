// SPDX-License-Identifier: Apache-2.0
// What the library says of bytes beside what the second decoders say.
#ifndef NUMPACT_TESTS_SECOND_COMPARE_HPP
#define NUMPACT_TESTS_SECOND_COMPARE_HPP

#include "second/pco_plain.hpp"
#include "support/numbers.hpp"

namespace numpact::testing {

::testing::AssertionResult same_as_plain(const Numbers& numbers, const second::PlainNumbers& plain);

}  // namespace numpact::testing

#endif
