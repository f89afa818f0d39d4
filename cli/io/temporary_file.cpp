// SPDX-License-Identifier: Apache-2.0
#include "io/temporary_file.hpp"

#include <string>

#include "failure.hpp"
#include "platform/temporary.hpp"

namespace numpact::cli {

int open_unnamed_file() {
  std::string name;
  const int descriptor = platform::open_unnamed_file(name);
  if (descriptor < 0) fail_errno(name, "cannot be written");
  return descriptor;
}

}  // namespace numpact::cli
