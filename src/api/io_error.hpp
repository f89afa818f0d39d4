// SPDX-License-Identifier: Apache-2.0
// Failures of the system, as a Status.
#ifndef NUMPACT_API_IO_ERROR_HPP
#define NUMPACT_API_IO_ERROR_HPP

#include <cerrno>

#include "numpact/error.hpp"

namespace numpact {

inline Status io_error(const char* what) { return Status(ErrorKind::kIo, what); }

// What an errno says of a new file, where that helps.
inline Status write_error(int error, const char* otherwise) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return io_error("no space is left for the new file");
    case EFBIG:
      return io_error("the new file is too large");
    case EACCES:
    case EPERM:
    case EROFS:
      return io_error("the folder may not be written to");
    default:
      return io_error(otherwise);
  }
}

}  // namespace numpact

#endif
