// SPDX-License-Identifier: Apache-2.0
// What the library says of bytes beside what the second decoders say.
#ifndef NUMPACT_TESTS_SECOND_COMPARE_HPP
#define NUMPACT_TESTS_SECOND_COMPARE_HPP

#include "second/cvc_plain.hpp"
#include "second/pco_plain.hpp"
#include "support/numbers.hpp"

namespace numpact::testing {

::testing::AssertionResult same_as_plain(const Numbers& numbers, const second::PlainNumbers& plain);

// What both made of the same bytes.
struct Comparison {
  bool accepted = false;   // by both
  bool limited = false;    // one of them found more than was asked for: not compared further
  std::string difference;  // empty if there is none
};

// Files of any kind of bytes. More than `most` numbers are not decoded.
Comparison compare_pco(ByteSpan file, std::uint64_t most);
struct WrappedPage {
  NumberType type = NumberType::kU8;
  second::Version version;
  ByteSpan meta;
  ByteSpan page;
  std::size_t n = 0;
};
Comparison compare_wrapped(const WrappedPage& page);
// More than `most` bytes of values are not decoded.
Comparison compare_cvc(ByteSpan file, std::uint64_t most);

}  // namespace numpact::testing

#endif
