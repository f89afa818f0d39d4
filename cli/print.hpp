// SPDX-License-Identifier: Apache-2.0
// What commands print on standard output for people and programs.
#ifndef NUMPACT_CLI_PRINT_HPP
#define NUMPACT_CLI_PRINT_HPP

#include <string_view>

namespace numpact::cli {

// Prints text of several lines, in which nothing reaches a terminal but what can be seen.
void print_report(std::string_view text);

}  // namespace numpact::cli

#endif
