// SPDX-License-Identifier: Apache-2.0
#include "platform/environment.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace numpact::internal::platform {

std::string temporary_folder() {
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(failed);
  return failed ? "/tmp" : folder.string();
}

std::string environment_value(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

}  // namespace numpact::internal::platform
