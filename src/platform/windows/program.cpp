// SPDX-License-Identifier: Apache-2.0
#include "platform/program.hpp"

#include <cstdlib>

#include "platform/windows/system.hpp"

// After windows.h.
#include <shellapi.h>

namespace numpact::internal::platform {
namespace {

// Descriptors that the C library has, whatever is asked for.
constexpr std::uint64_t kDescriptors = 2048;

void (*clean_function)() = nullptr;

// Runs on a thread that the system makes. The system's own handler, which comes next, ends the
// program.
BOOL WINAPI clean_and_end(DWORD) {
  clean_function();
  return FALSE;
}

}  // namespace

std::vector<std::string> arguments_of(int argc, char** argv) {
  // Those of main() are in the code page of the system, which lacks most characters.
  int count = 0;
  wchar_t** const words = ::CommandLineToArgvW(::GetCommandLineW(), &count);
  if (words == nullptr) return {argv, argv + argc};
  std::vector<std::string> arguments;
  for (int i = 0; i < count; ++i) arguments.push_back(to_utf8(words[i]));
  ::LocalFree(words);
  return arguments;
}

void return_freed_memory() {}

void set_if_unset(const char* variable, const char* value) {
  if (std::getenv(variable) == nullptr) ::_putenv_s(variable, value);
}

std::uint64_t allow_open_files(std::uint64_t) { return kDescriptors; }

void clean_before_end(void (*clean)()) {
  clean_function = clean;
  ::SetConsoleCtrlHandler(clean_and_end, TRUE);
}

void end_by_broken_pipe() {}

}  // namespace numpact::internal::platform
