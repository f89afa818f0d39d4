// SPDX-License-Identifier: Apache-2.0
// Access rights of a file that replaces another.
#include <cerrno>

#include "api/io_error.hpp"
#include "base/guard.hpp"
#include "base/internal.hpp"
#include "numpact/file_lock.hpp"
#include "platform/replacement.hpp"

namespace numpact {

Status take_access(int descriptor, const std::string& path) noexcept {
  return guarded([&]() -> Status {
    switch (platform::take_access(descriptor, path)) {
      case platform::AccessTaking::kDone:
        return {};
      case platform::AccessTaking::kNotSeen:
        return write_error(errno, "the file cannot be looked at");
      default:
        return write_error(errno, "the file's permissions cannot be kept");
    }
  });
}

}  // namespace numpact
