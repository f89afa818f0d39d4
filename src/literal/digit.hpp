// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace numpact::internal {

// Whether it is an ASCII digit, in every locale.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace numpact::internal
