// SPDX-License-Identifier: Apache-2.0
#include "platform/environment.hpp"

#include "platform/paths.hpp"
#include "platform/windows/system.hpp"

namespace numpact::internal::platform {

std::string temporary_folder() {
  const std::wstring folder =
      text_of([](wchar_t* out, DWORD size) { return ::GetTempPathW(size, out); });
  return folder.empty() ? "." : without_end_separators(to_utf8(folder));
}

std::string environment_value(const char* variable) {
  return to_utf8(text_of([name = to_wide(variable)](wchar_t* out, DWORD size) {
    return ::GetEnvironmentVariableW(name.c_str(), out, size);
  }));
}

}  // namespace numpact::internal::platform
