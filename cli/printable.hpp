// SPDX-License-Identifier: Apache-2.0
// Text from files, made harmless for terminals.
#ifndef NUMPACT_CLI_PRINTABLE_HPP
#define NUMPACT_CLI_PRINTABLE_HPP

#include <string>
#include <string_view>

namespace numpact::cli {

// UTF-8 text whose control characters are made visible, as \x1b or \u{202e}: those of C0 and C1,
// marks that change the direction of text, separators of lines, and bytes that are no UTF-8. Line
// breaks become spaces, so that it stays one line.
std::string one_line(std::string_view text);

// The same for text of several lines, whose line breaks stay.
std::string printable(std::string_view text);

// JSON text whose strings have such characters as \uXXXX. The text is UTF-8.
std::string printable_json(std::string_view text);

}  // namespace numpact::cli

#endif
