// SPDX-License-Identifier: Apache-2.0
// Converts system errors to a Status.
#pragma once

#include <cerrno>

#include "numpact/error.hpp"
#include "platform/files.hpp"

namespace numpact {

inline Status io_error(const char* what) { return Status(ErrorKind::kIo, what); }

// The error for a failure of writing a new file; `otherwise` if errno is not specific.
inline Status write_error(int error, const char* otherwise) {
  const auto text = [&] {
    if (internal::platform::says_disk_is_full(error)) return "no space is left for the new file";
    switch (error) {
      case EFBIG:
        return "the new file is too large";
      case EACCES:
      case EPERM:
      case EROFS:
        return "the folder may not be written to";
      default:
        return otherwise;
    }
  };
  return io_error(text()).because_of(error);
}

}  // namespace numpact
