// SPDX-License-Identifier: Apache-2.0
#include "text/utf8.hpp"

#include <cstdint>
#include <cstring>

namespace numpact::cli {
namespace {

// Size in bytes of the first character; 0 if it is not well-formed. The ranges of the second byte
// are those of the Unicode standard, table 3-7.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<std::uint8_t>(text[i]) : std::uint8_t{0};
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const std::uint8_t first = byte(0);
  const std::uint8_t second = byte(1);
  if (first < 0x80) return 1;
  if (first < 0xC2) return 0;
  if (first < 0xE0) return continues(1) ? 2 : 0;
  if (first < 0xF0) {
    const bool is_overlong = first == 0xE0 && second < 0xA0;
    const bool is_surrogate = first == 0xED && second > 0x9F;
    return continues(1) && continues(2) && !is_overlong && !is_surrogate ? 3 : 0;
  }
  const bool is_overlong = first == 0xF0 && second < 0x90;
  const bool is_beyond = first > 0xF4 || (first == 0xF4 && second > 0x8F);
  return continues(1) && continues(2) && continues(3) && !is_overlong && !is_beyond ? 4 : 0;
}

}  // namespace

std::optional<std::size_t> first_not_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    std::uint64_t word = 0;  // eight characters of ASCII at once
    if (text.size() - at >= sizeof word) {
      std::memcpy(&word, text.data() + at, sizeof word);
      if ((word & 0x8080'8080'8080'8080) == 0) {
        at += sizeof word;
        continue;
      }
    }
    const std::size_t bytes = character_bytes(text.substr(at));
    if (bytes == 0) return at;
    at += bytes;
  }
  return std::nullopt;
}

}  // namespace numpact::cli
