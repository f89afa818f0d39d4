// SPDX-License-Identifier: Apache-2.0
// The standard streams, and the terminal that they may lead to.
#pragma once

#include <cstddef>

namespace numpact::internal::platform {

inline constexpr int kStandardInput = 0;
inline constexpr int kStandardOutput = 1;
inline constexpr int kStandardError = 2;

bool is_terminal(int descriptor);
// The width of the terminal of standard error; 0 if it is unknown.
std::size_t terminal_columns();
// Makes standard input, output and error streams of bytes, and terminals take UTF-8 and escape
// sequences.
void use_byte_streams();

}  // namespace numpact::internal::platform
