// SPDX-License-Identifier: Apache-2.0
// Formats numbers without a library, which the Python module does not link.
#pragma once

#include <cstdio>
#include <string>

namespace numpact::cvc::quality {

// `format`: one conversion of a double, of at most 39 characters, such as "%.2e".
inline std::string printed(const char* format, double number) {
  char text[40];
  std::snprintf(text, sizeof(text), format, number);
  return text;
}

}  // namespace numpact::cvc::quality
