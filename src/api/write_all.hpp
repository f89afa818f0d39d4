// SPDX-License-Identifier: Apache-2.0
// Writes all bytes at an offset of a file.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>

#include "api/io_error.hpp"

namespace numpact {

// Goes on after interruptions and short writes. `failure`: the text where errno is not specific.
inline Status write_all(int descriptor, std::uint64_t offset, std::span<const std::byte> bytes,
                        const char* failure) {
  while (!bytes.empty()) {
    const ssize_t count =
        ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return write_error(count < 0 ? errno : EIO, failure);
    offset += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

}  // namespace numpact
