// SPDX-License-Identifier: Apache-2.0
#include "io/temporary_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "failure.hpp"

namespace numpact::cli {

int open_unnamed_file() {
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(failed);
  const std::string name = (failed ? "/tmp" : folder.string()) + "/numpact.XXXXXX";
  std::vector<char> path(name.c_str(), name.c_str() + name.size() + 1);
  const int descriptor = ::mkostemp(path.data(), O_CLOEXEC);
  if (descriptor < 0) fail_errno(name, "cannot be written");
  ::unlink(path.data());
  return descriptor;
}

}  // namespace numpact::cli
