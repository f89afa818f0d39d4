// SPDX-License-Identifier: Apache-2.0
#include "numpact/file_access.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

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

// Platform-specific; returns 0 or errno.
int map_file(const char* path, std::span<const std::byte>& bytes) {
  // O_NONBLOCK: opening a pipe must not wait for its writer.
  const int descriptor = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return errno;
  struct stat found {};
  int error = ::fstat(descriptor, &found) != 0 ? errno : 0;
  if (error == 0 && S_ISDIR(found.st_mode)) error = EISDIR;
  if (error == 0 && !S_ISREG(found.st_mode)) error = ENODEV;
  if (error == 0 && static_cast<std::uint64_t>(found.st_size) > SIZE_MAX) error = EFBIG;
  if (error == 0 && found.st_size > 0) {
    const auto size = static_cast<std::size_t>(found.st_size);
    void* const map = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (map == MAP_FAILED) {
      error = errno;
    } else {
      bytes = {static_cast<const std::byte*>(map), size};
    }
  }
  ::close(descriptor);
  return error;
}

void unmap_file(std::span<const std::byte> bytes) {
  if (!bytes.empty()) ::munmap(const_cast<std::byte*>(bytes.data()), bytes.size());
}

void give_back(std::span<const std::byte> bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t whole = bytes.size() / page * page;
  if (whole > 0) ::madvise(const_cast<std::byte*>(bytes.data()), whole, MADV_DONTNEED);
}

}  // namespace

MappedFile::~MappedFile() { unmap_file(bytes_); }

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this != &other) {
    unmap_file(bytes_);
    bytes_ = std::exchange(other.bytes_, {});
  }
  return *this;
}

Result<MappedFile> MappedFile::open(const std::string& path) noexcept {
  MappedFile file;
  const int error = map_file(path.c_str(), file.bytes_);
  if (error != 0) return Status(ErrorKind::kIo, reason(error)).because_of(error);
  return file;
}

void MappedFile::release_first(std::uint64_t size) const noexcept {
  give_back(bytes_.first(static_cast<std::size_t>(std::min<std::uint64_t>(size, bytes_.size()))));
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
  give_back(bytes_.subspan(first, static_cast<std::size_t>(last) - first));
}

}  // namespace numpact
