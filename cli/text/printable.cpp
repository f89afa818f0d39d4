// SPDX-License-Identifier: Apache-2.0
#include "text/printable.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <iterator>

namespace numpact::cli {
namespace {

struct Character {
  std::string_view bytes;
  char32_t code = 0;
  bool is_valid = false;
};

// The first character of UTF-8 text, or a single byte if it is not well-formed.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {text.substr(0, 1), lead, true};
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  const Character invalid{text.substr(0, 1), lead, false};
  if (lead < 0xc2 || lead > 0xf4 || size > text.size()) return invalid;
  char32_t code = lead & (0xffU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return invalid;
    code = (code << 6) | (byte(i) & 0x3fU);
  }
  constexpr char32_t kMinCodePoint[] = {
      0, 0, 0x80, 0x800, 0x10000};  // by size: shorter forms exist for smaller code points
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kMinCodePoint[size] || code > 0x10ffff || is_surrogate) return invalid;
  return {text.substr(0, size), code, true};
}

// Control characters, bidirectional marks (Unicode's Bidi_Control), line and paragraph separators.
bool is_hidden(char32_t code) {
  return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0x061c || code == 0x200e ||
         code == 0x200f || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

enum class LineBreaks { kSpaces, kKept };

std::string shown(std::string_view text, LineBreaks breaks) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_character(text);
    text.remove_prefix(character.bytes.size());
    if (character.code == U'\n') {
      out += breaks == LineBreaks::kKept ? '\n' : ' ';
    } else if (!character.is_valid || (is_hidden(character.code) && character.code < 0x80)) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned>(character.code));
    } else if (is_hidden(character.code)) {
      fmt::format_to(std::back_inserter(out), "\\u{{{:04x}}}",
                     static_cast<unsigned>(character.code));
    } else {
      out += character.bytes;
    }
  }
  return out;
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string line = shown(text, LineBreaks::kSpaces);
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

std::string printable(std::string_view text) { return shown(text, LineBreaks::kKept); }

std::string printable_json(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_character(text);
    text.remove_prefix(character.bytes.size());
    // Outside of strings JSON contains no such character but line breaks, and strings contain none.
    if (is_hidden(character.code) && character.code != U'\n') {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(character.code));
    } else {
      out += character.bytes;
    }
  }
  return out;
}

}  // namespace numpact::cli
