// SPDX-License-Identifier: Apache-2.0
// Numbers of the kinds that encoders look for, as an input chooses them.
#pragma once

#include <vector>

#include "common/draw.hpp"
#include "numpact/numpact.hpp"

namespace numpact::fuzz {

NumberType draw_type(Draw& draw);
// Usually few, never more than `max_n`.
NumberArray draw_numbers(Draw& draw, NumberType type, std::size_t max_n);

inline testing::ByteSpan bytes_of(const NumberView& numbers) {
  return {static_cast<const std::byte*>(numbers.data), numbers.count * size_of(numbers.type)};
}
inline NumberView part(const NumberArray& numbers, std::size_t first, std::size_t count) {
  const auto* const at = static_cast<const std::byte*>(numbers.data());
  return {numbers.type(), at + first * size_of(numbers.type()), count};
}

// Sets `count` to the count of a decoding function, or after an error to that of the good numbers.
inline Status count_into(const Result<std::size_t>& result, std::size_t& count) {
  count = result.ok() ? *result : static_cast<std::size_t>(result.status().good_numbers());
  return result.status();
}

}  // namespace numpact::fuzz
