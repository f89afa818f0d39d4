// SPDX-License-Identifier: Apache-2.0
// Makes text from files safe for terminals.
#pragma once

#include <string>
#include <string_view>

namespace numpact::cli {

// Escapes control characters of UTF-8 text, as \x1b or \u{202e}: C0 and C1 controls, bidirectional
// marks, line separators, and bytes that are not UTF-8. Line breaks become spaces, so that the text
// stays on one line.
std::string one_line(std::string_view text);

// Same for text of several lines; line breaks are kept.
std::string printable(std::string_view text);

// Escapes such characters in JSON strings as \uXXXX. The text must be UTF-8.
std::string printable_json(std::string_view text);

}  // namespace numpact::cli
