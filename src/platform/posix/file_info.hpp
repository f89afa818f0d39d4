// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <cstdint>

#include "platform/files.hpp"

namespace numpact::internal::platform {

inline FileInfo info_of(const struct stat& found) {
  FileInfo info;
  if (S_ISREG(found.st_mode)) info.kind = FileKind::kRegular;
  if (S_ISDIR(found.st_mode)) info.kind = FileKind::kFolder;
  if (S_ISLNK(found.st_mode)) info.kind = FileKind::kLink;
  info.bytes = static_cast<std::uint64_t>(found.st_size);
  info.device = static_cast<std::uint64_t>(found.st_dev);
  info.inode = static_cast<std::uint64_t>(found.st_ino);
#ifdef __APPLE__
  const struct timespec& changed = found.st_mtimespec;
#else
  const struct timespec& changed = found.st_mtim;
#endif
  info.changed = static_cast<std::int64_t>(changed.tv_sec) * 1'000'000'000 + changed.tv_nsec;
  return info;
}

}  // namespace numpact::internal::platform
