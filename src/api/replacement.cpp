// SPDX-License-Identifier: Apache-2.0
#include "api/replacement.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <random>
#include <system_error>

#include "base/try.hpp"

namespace numpact {
namespace {

constexpr std::uint64_t kMoveBytes = std::uint64_t{1} << 20;

Status io_error(const char* what) { return Status(ErrorKind::kIo, what); }

// So that a new file gets the permissions that others get; mkstemp gives its own.
int create_beside(const std::string& path, std::string& name) {
  constexpr char kLetters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device random;
  for (int attempt = 0; attempt < 100; ++attempt) {
    name = path + ".";
    for (int i = 0; i < 8; ++i) name.push_back(kLetters[random() % 36]);
    const int descriptor = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

}  // namespace

Replacement::~Replacement() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (!done_) ::unlink(name_.c_str());
}

Status Replacement::open(const std::string& path) {
  if (path.empty()) return io_error("the file has no name");
  path_ = path;
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0) {
    if (!S_ISREG(found.st_mode)) return io_error("what has the name is no regular file");
    // Through links, so that what they point to is replaced and not they.
    std::error_code error;
    path_ = std::filesystem::canonical(path, error).string();
    if (error) return io_error("the file's folder cannot be read");
  }
  descriptor_ = create_beside(path_, name_);
  return descriptor_ >= 0 ? Status() : io_error("a file beside it cannot be made");
}

Status Replacement::write(std::span<const std::byte> bytes) {
  NUMPACT_TRY(write_at(written_, bytes));
  written_ += bytes.size();
  return {};
}

Status Replacement::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count =
        ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0) {
      if (errno == EINTR) continue;
      return io_error(errno == ENOSPC ? "no space is left for the new file"
                                      : "writing the new file failed");
    }
    offset += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

Status Replacement::move(std::uint64_t from, std::uint64_t to, std::uint64_t bytes) {
  const auto buffer = std::make_unique_for_overwrite<std::byte[]>(
      static_cast<std::size_t>(std::min(kMoveBytes, bytes)));
  std::uint64_t moved = 0;
  while (moved < bytes) {
    const std::uint64_t size = std::min(kMoveBytes, bytes - moved);
    // Upwards from the end, downwards from the start: nothing is lost that is yet to be read.
    const std::uint64_t at = to > from ? bytes - moved - size : moved;
    std::uint64_t got = 0;
    while (got < size) {
      const ssize_t count =
          ::pread(descriptor_, buffer.get() + got, size - got, static_cast<off_t>(from + at + got));
      if (count == 0 || (count < 0 && errno != EINTR)) {
        return io_error("reading the new file failed");
      }
      if (count > 0) got += static_cast<std::uint64_t>(count);
    }
    NUMPACT_TRY(write_at(to + at, {buffer.get(), static_cast<std::size_t>(size)}));
    moved += size;
  }
  return {};
}

Status Replacement::resize(std::uint64_t bytes) {
  if (::ftruncate(descriptor_, static_cast<off_t>(bytes)) == 0) return {};
  return io_error("the new file's length cannot be set");
}

Status Replacement::replace(bool sync) {
  struct stat old {};
  if (::stat(path_.c_str(), &old) == 0 && ::fchmod(descriptor_, old.st_mode & 07777) != 0) {
    return io_error("the file's permissions cannot be kept");
  }
  if (sync && ::fsync(descriptor_) != 0) return io_error("the new file cannot be synced");
  if (::rename(name_.c_str(), path_.c_str()) != 0) return io_error("the file cannot be replaced");
  done_ = true;
  if (sync) sync_folder();
  return {};
}

// So that the rename lasts; a folder that cannot be synced is no failure of the file.
void Replacement::sync_folder() const {
  const std::size_t slash = path_.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path_.substr(0, slash + 1);
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  (void)::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace numpact
