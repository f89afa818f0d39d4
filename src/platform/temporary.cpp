// SPDX-License-Identifier: Apache-2.0
#include "platform/temporary.hpp"

#include <cstddef>

#include "platform/processes.hpp"

namespace numpact::internal::platform {

std::string hidden_prefix(std::string_view folder, std::string_view name) {
  // With what is added the name stays below the 255 bytes that file systems allow.
  constexpr std::size_t kMaxNameBytes = 180;
  std::size_t size = name.size();
  if (size > kMaxNameBytes) {
    size = kMaxNameBytes;
    // Not within a character of UTF-8, which Windows would refuse.
    while (size > 0 && (static_cast<unsigned char>(name[size]) & 0xC0U) == 0x80U) --size;
  }
  std::string text(folder);
  text += '.';
  text += name.substr(0, size);
  return text + '.';
}

std::string hidden_name(std::string_view folder, std::string_view name, std::uint32_t number) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = hidden_prefix(folder, name);
  text += std::to_string(current_process()) + '-';
  for (int shift = 28; shift >= 0; shift -= 4) text += kDigits[number >> shift & 15U];
  return text + ".tmp";
}

}  // namespace numpact::internal::platform
