// SPDX-License-Identifier: Apache-2.0
// Writes all bytes at an offset of a file.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>

#include "api/io_error.hpp"
#include "base/internal.hpp"
#include "platform/files.hpp"

namespace numpact {

// Goes on after short writes. `failure`: the text where errno is not specific.
inline Status write_all(int descriptor, std::uint64_t offset, std::span<const std::byte> bytes,
                        const char* failure) {
  while (!bytes.empty()) {
    const std::int64_t count = platform::write_some_at(descriptor, offset, bytes);
    if (count <= 0) return write_error(count < 0 ? errno : EIO, failure);
    offset += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

}  // namespace numpact
