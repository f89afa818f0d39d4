// SPDX-License-Identifier: Apache-2.0
#include "platform/environment.hpp"

#include <algorithm>
#include <string_view>

#include "platform/files.hpp"
#include "platform/paths.hpp"
#include "platform/windows/system.hpp"

namespace numpact::internal::platform {

std::string temporary_folder() {
  const std::wstring folder =
      text_of([](wchar_t* out, DWORD size) { return ::GetTempPathW(size, out); });
  return folder.empty() ? "." : without_end_separators(to_utf8(folder));
}

std::string find_program(const std::string& name) {
  const std::string list = environment_value("PATH");
  std::string_view rest = list;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(';'));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
    if (!is_full_path(folder)) continue;
    for (const char* const ending : {"", ".exe"}) {
      const std::string path = std::string(folder) + "\\" + name + ending;
      FileInfo found;
      if (look_at(path, found) && found.is_regular()) return path;
    }
  }
  return "";
}

std::string environment_value(const char* variable) {
  return to_utf8(text_of([name = to_wide(variable)](wchar_t* out, DWORD size) {
    return ::GetEnvironmentVariableW(name.c_str(), out, size);
  }));
}

}  // namespace numpact::internal::platform
