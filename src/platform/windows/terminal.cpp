// SPDX-License-Identifier: Apache-2.0
#include "platform/terminal.hpp"

#include <fcntl.h>
#include <io.h>

#include "platform/windows/system.hpp"

namespace numpact::internal::platform {
namespace {

// Of SetConsoleMode, from Windows 10 on.
constexpr DWORD kTakesEscapeSequences = 0x4;

}  // namespace

bool is_terminal(int descriptor) {
  DWORD mode = 0;
  HANDLE const handle = handle_of(descriptor);
  return handle != INVALID_HANDLE_VALUE && ::GetConsoleMode(handle, &mode) != 0;
}

std::size_t terminal_columns() {
  CONSOLE_SCREEN_BUFFER_INFO info = {};
  if (::GetConsoleScreenBufferInfo(handle_of(kStandardError), &info) == 0) return 0;
  const int columns = info.srWindow.Right - info.srWindow.Left + 1;
  return columns > 0 ? static_cast<std::size_t>(columns) : 0;
}

void use_byte_streams() {
  for (const int stream : {kStandardInput, kStandardOutput, kStandardError}) {
    ::_setmode(stream, _O_BINARY);
    DWORD mode = 0;
    HANDLE const handle = handle_of(stream);
    if (stream == kStandardInput || ::GetConsoleMode(handle, &mode) == 0) continue;
    ::SetConsoleMode(handle, mode | kTakesEscapeSequences);
    ::SetConsoleOutputCP(CP_UTF8);
  }
}

}  // namespace numpact::internal::platform
