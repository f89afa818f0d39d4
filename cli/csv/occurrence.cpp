// SPDX-License-Identifier: Apache-2.0
#include "csv/occurrence.hpp"

#include <fmt/format.h>

#include <cstddef>

namespace numpact::cli {
namespace {

// Maximum bytes of a text in a message, so that the message fits on a terminal line.
constexpr std::size_t kMaxTextBytes = 60;

// A byte of a UTF-8 character that is not its first.
bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

}  // namespace

void Occurrence::add(std::uint64_t n, std::uint64_t at_line, std::string_view at_text) {
  count += n;
  if (count > n) return;
  first = std::make_unique<Place>();
  first->line = at_line;
  first->text = at_text;
  if (at_text.size() <= kMaxTextBytes) return;
  std::size_t end = kMaxTextBytes;
  while (end > 0 && is_continuation(at_text[end])) --end;
  first->text.resize(end);
  first->text += "...";
}

std::string Occurrence::place() const {
  return fmt::format("line {}: '{}'", first->line, first->text);
}

}  // namespace numpact::cli
