// SPDX-License-Identifier: Apache-2.0
#include "platform/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

namespace numpact::internal::platform {

bool is_terminal(int descriptor) { return ::isatty(descriptor) == 1; }

std::size_t terminal_columns() {
  struct winsize size = {};
  const bool is_known = ::ioctl(kStandardError, TIOCGWINSZ, &size) == 0;
  return is_known ? size.ws_col : 0;
}

void use_byte_streams() {}

}  // namespace numpact::internal::platform
