// SPDX-License-Identifier: Apache-2.0
#include "platform/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "platform/posix/file_info.hpp"

namespace numpact::internal::platform {
namespace {

int flags_of(Access access) {
  if (access == Access::kRead) return O_RDONLY;
  return access == Access::kWrite ? O_WRONLY : O_RDWR;
}

// `call` behaves like ::read; repeats it after a signal.
template <class Call>
std::int64_t repeated(const Call& call) {
  while (true) {
    const ssize_t count = call();
    if (count >= 0 || errno != EINTR) return count;
  }
}

}  // namespace

bool look_at(const std::string& path, FileInfo& info) {
  struct stat found = {};
  if (::stat(path.c_str(), &found) != 0) return false;
  info = info_of(found);
  return true;
}

bool look_at(int descriptor, FileInfo& info) {
  struct stat found = {};
  if (::fstat(descriptor, &found) != 0) return false;
  info = info_of(found);
  return true;
}

int open_file(const std::string& path, Access access, Opening opening) {
  const int at_once = opening == Opening::kAtOnce ? O_NONBLOCK : 0;
  return ::open(path.c_str(), flags_of(access) | O_CLOEXEC | O_NOCTTY | at_once);
}

int create_file(const std::string& path, Access access, bool is_private) {
  return ::open(path.c_str(), flags_of(access) | O_CREAT | O_EXCL | O_CLOEXEC,
                is_private ? 0600 : 0666);
}

bool make_folder(const std::string& path, bool is_private) {
  return ::mkdir(path.c_str(), is_private ? 0700 : 0777) == 0;
}

bool close_file(int descriptor) { return ::close(descriptor) == 0; }

int duplicate(int descriptor) { return ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0); }

std::int64_t read_some(int descriptor, std::span<std::byte> out) {
  return repeated([&] { return ::read(descriptor, out.data(), out.size()); });
}

std::int64_t write_some(int descriptor, std::span<const std::byte> bytes) {
  return repeated([&] { return ::write(descriptor, bytes.data(), bytes.size()); });
}

std::int64_t read_some_at(int descriptor, std::uint64_t offset, std::span<std::byte> out) {
  return repeated(
      [&] { return ::pread(descriptor, out.data(), out.size(), static_cast<off_t>(offset)); });
}

std::int64_t write_some_at(int descriptor, std::uint64_t offset, std::span<const std::byte> bytes) {
  return repeated(
      [&] { return ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
}

std::int64_t position_of(int descriptor) { return ::lseek(descriptor, 0, SEEK_CUR); }

bool resize_file(int descriptor, std::uint64_t bytes) {
  return ::ftruncate(descriptor, static_cast<off_t>(bytes)) == 0;
}

bool sync_file(int descriptor) { return ::fsync(descriptor) == 0; }

bool sync_file(const std::string& path) {
  const int descriptor = open_file(path, Access::kRead);
  if (descriptor < 0) return false;
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  errno = error;
  return error == 0;
}

void start_writing([[maybe_unused]] const std::string& path) {
#ifdef SYNC_FILE_RANGE_WRITE
  const int descriptor = open_file(path, Access::kRead);
  if (descriptor < 0) return;
  ::sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
  ::close(descriptor);
#endif
}

bool says_disk_is_full(int error) { return error == ENOSPC || error == EDQUOT; }

bool remove_file(const std::string& path) { return ::unlink(path.c_str()) == 0; }

bool remove_folder(const std::string& path) { return ::rmdir(path.c_str()) == 0; }

}  // namespace numpact::internal::platform
