// SPDX-License-Identifier: Apache-2.0
#include "numpact/file_access.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/internal.hpp"
#include "platform/files.hpp"
#include "platform/mapped_files.hpp"

namespace numpact {
namespace {

// Literals, since a Status does not own its text.
const char* reason(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return "the file does not exist";
    case EACCES:
    case EPERM:
      return "the file may not be read";
    case EISDIR:
      return "it is a folder";
    case EMFILE:
    case ENFILE:
      return "too many files are open";
    case ENOMEM:
    case EOVERFLOW:
    case EFBIG:
      return "the file is too large to be mapped";
    case ENODEV:
      return "it is not a regular file";
    default:
      return "the file cannot be mapped";
  }
}

// Returns 0 or errno.
int map_file(const std::string& path, std::span<const std::byte>& bytes) {
  const int descriptor =
      platform::open_file(path, platform::Access::kRead, platform::Opening::kAtOnce);
  if (descriptor < 0) return errno;
  platform::FileInfo found;
  int error = platform::look_at(descriptor, found) ? 0 : errno;
  if (error == 0 && found.is_folder()) error = EISDIR;
  if (error == 0 && !found.is_regular()) error = ENODEV;
  if (error == 0 && found.bytes > SIZE_MAX) error = EFBIG;
  if (error == 0 && found.bytes > 0) {
    const auto size = static_cast<std::size_t>(found.bytes);
    const std::byte* const map = platform::map_file(descriptor, size);
    if (map == nullptr) {
      error = errno;
    } else {
      bytes = {map, size};
    }
  }
  platform::close_file(descriptor);
  return error;
}

}  // namespace

MappedFile::~MappedFile() { platform::unmap_file(bytes_); }

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this != &other) {
    platform::unmap_file(bytes_);
    bytes_ = std::exchange(other.bytes_, {});
  }
  return *this;
}

Result<MappedFile> MappedFile::open(const std::string& path) noexcept {
  MappedFile file;
  const int error = map_file(path, file.bytes_);
  if (error != 0) return Status(ErrorKind::kIo, reason(error)).because_of(error);
  return file;
}

void MappedFile::release_first(std::uint64_t size) const noexcept {
  platform::release_pages(
      bytes_.first(static_cast<std::size_t>(std::min<std::uint64_t>(size, bytes_.size()))));
}

ProgressCallback MappedFile::releasing() const {
  return [this, released = std::uint64_t{0}](const Progress& progress) mutable {
    // In steps, because each system call costs time: chunks may be tiny.
    constexpr std::uint64_t kStepBytes = std::uint64_t{1} << 20;
    if (progress.bytes < released) released = 0;  // another call, from the start
    if (progress.bytes - released < kStepBytes) return true;
    release(released, progress.bytes);
    released = progress.bytes;
    return true;
  };
}

void MappedFile::release(std::uint64_t begin, std::uint64_t end) const noexcept {
  const std::uint64_t last = std::min<std::uint64_t>(end, bytes_.size());
  if (begin >= last) return;
  // Aligned down to any supported page size, since the previous call may have left a partial page.
  constexpr std::uint64_t kMaxPageBytes = std::uint64_t{1} << 16;
  const auto first = static_cast<std::size_t>(begin / kMaxPageBytes * kMaxPageBytes);
  platform::release_pages(bytes_.subspan(first, static_cast<std::size_t>(last) - first));
}

}  // namespace numpact
