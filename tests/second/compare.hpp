// SPDX-License-Identifier: Apache-2.0
// Comparison of the library with the second decoders on the same bytes.
#pragma once

#include "second/cvc_plain.hpp"
#include "second/pco_plain.hpp"
#include "support/numbers.hpp"

namespace numpact::testing {

::testing::AssertionResult same_as_plain(const Numbers& numbers, const second::PlainNumbers& plain);

// The result of decoding the same bytes with both.
struct Comparison {
  bool accepted = false;   // accepted by both
  bool limited = false;    // beyond the limit of one of them: not compared further
  std::string difference;  // empty if there is none
};

// Files of any bytes. More than `max_numbers` numbers are not decoded.
Comparison compare_pco(ByteSpan file, std::uint64_t max_numbers);
struct WrappedPage {
  NumberType type = NumberType::kU8;
  second::Version version;
  ByteSpan meta;
  ByteSpan page;
  std::size_t n = 0;
};
Comparison compare_wrapped(const WrappedPage& page);
// More than `max_bytes` bytes of values are not decoded.
Comparison compare_cvc(ByteSpan file, std::uint64_t max_bytes);

}  // namespace numpact::testing
