// SPDX-License-Identifier: Apache-2.0
#include "csv/occurrence.hpp"

#include <fmt/format.h>

namespace numpact::cli {
namespace {

// Bytes of a text in a message: a line of a terminal holds it with the words around it.
constexpr std::size_t kMaxTextBytes = 60;

}  // namespace

void Occurrence::add(std::uint64_t at_line, std::string_view at_text) {
  if (count++ > 0) return;
  line = at_line;
  text = at_text.substr(0, kMaxTextBytes);
  if (at_text.size() > kMaxTextBytes) text += "...";
}

std::string Occurrence::place() const { return fmt::format("line {}: '{}'", line, text); }

}  // namespace numpact::cli
