// SPDX-License-Identifier: Apache-2.0
// Prints the results of commands on standard output.
#pragma once

#include <string_view>

namespace numpact::cli {

// Prints text of several lines. Control characters are escaped so that a terminal does not obey
// them.
void print_report(std::string_view text);

}  // namespace numpact::cli
