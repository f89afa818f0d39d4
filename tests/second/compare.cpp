// SPDX-License-Identifier: Apache-2.0
#include "second/compare.hpp"

namespace numpact::testing {

::testing::AssertionResult same_as_plain(const Numbers& numbers,
                                         const second::PlainNumbers& plain) {
  if (!plain.accepted()) {
    return ::testing::AssertionFailure() << "the second decoder: " << plain.refusal.reason;
  }
  if (numbers.count() != plain.numbers.size()) {
    return ::testing::AssertionFailure()
           << numbers.count() << " numbers, second decoder " << plain.numbers.size();
  }
  for (std::size_t i = 0; i < plain.numbers.size(); ++i) {
    const std::uint64_t bits = bits_at(numbers, i);
    if (bits == plain.numbers[i]) continue;
    return ::testing::AssertionFailure() << std::hex << "number " << i << " is 0x" << bits
                                         << ", second decoder 0x" << plain.numbers[i];
  }
  return ::testing::AssertionSuccess();
}

}  // namespace numpact::testing
