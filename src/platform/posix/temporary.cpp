// SPDX-License-Identifier: Apache-2.0
#include "platform/temporary.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "platform/environment.hpp"

namespace numpact::internal::platform {

int open_unnamed_file(std::string& name) {
  name = temporary_folder() + "/numpact.XXXXXX";
  std::vector<char> path(name.c_str(), name.c_str() + name.size() + 1);
#if defined(__linux__) || defined(__FreeBSD__)
  const int descriptor = ::mkostemp(path.data(), O_CLOEXEC);
#else
  const int descriptor = ::mkstemp(path.data());
  if (descriptor >= 0) ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
#endif
  if (descriptor >= 0) ::unlink(path.data());
  return descriptor;
}

}  // namespace numpact::internal::platform
