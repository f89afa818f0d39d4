// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace numpact::cli {

// Whether it is an ASCII digit, in every locale.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace numpact::cli
