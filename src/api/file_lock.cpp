// SPDX-License-Identifier: Apache-2.0
// Appending renames a longer copy over the file, so a lock on the old inode is then worthless:
// after locking, check that the path still leads to the same inode, and otherwise start over.
#include "numpact/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <thread>
#include <utility>

#include "api/io_error.hpp"
#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/try.hpp"

namespace numpact {
namespace {

using std::chrono::milliseconds;

// Maximum links followed, as in Linux.
constexpr int kMaxLinks = 40;
// flock() has no timeout, so it is polled. The pause doubles up to kMaxPause, which bounds how long
// a free lock stays unused.
constexpr milliseconds kFirstPause{1};
constexpr milliseconds kMaxPause{20};

// Renames but never replaces a file. On failure returns false and sets errno.
bool rename_to_free_name(const std::string& from, const std::string& to) {
#if defined(__linux__) && defined(RENAME_NOREPLACE)
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
#endif
  struct stat found {};
  if (::lstat(to.c_str(), &found) == 0) {
    errno = EEXIST;
    return false;
  }
  return ::rename(from.c_str(), to.c_str()) == 0;
}

// O_NONBLOCK: opening a pipe or device must not block.
int open_to_lock(const std::string& path, int access) {
  return ::open(path.c_str(), access | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

}  // namespace

Result<std::string> follow_links(const std::string& path) noexcept {
  return guarded_value<std::string>([&](std::string& target) -> Status {
    namespace fs = std::filesystem;
    const std::unique_ptr<char, void (*)(void*)> whole(::realpath(path.c_str(), nullptr),
                                                       &std::free);
    if (whole != nullptr) {
      target = whole.get();
      return {};
    }
    if (errno == ELOOP) return io_error("the links lead back to themselves");
    // The last link may lead to a missing file. Other errors are left to the users of the path.
    fs::path at = path;
    std::error_code error;
    for (int links = 0; links < kMaxLinks; ++links) {
      const fs::path next = fs::read_symlink(at, error);
      if (error) {
        target = at.string();
        return {};
      }
      at = at.parent_path() / next;
    }
    return io_error("the links lead back to themselves");
  });
}

FileLock::FileLock(FileLock&& other) noexcept { *this = std::move(other); }

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  if (this == &other) return *this;
  release();
  path_ = std::move(other.path_);
  descriptor_ = std::exchange(other.descriptor_, -1);
  process_ = other.process_;
  device_ = other.device_;
  inode_ = other.inode_;
  has_file_ = std::exchange(other.has_file_, false);
  is_held_ = std::exchange(other.is_held_, false);
  return *this;
}

void FileLock::release() noexcept {
  // Forked processes share the descriptor, so closing it would not release the lock.
  if (is_held_ && process_ == ::getpid()) ::flock(descriptor_, LOCK_UN);
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  has_file_ = false;
  is_held_ = false;
}

bool FileLock::is_current() const noexcept {
  struct stat found {};
  return ::stat(path_.c_str(), &found) == 0 && found.st_dev == static_cast<dev_t>(device_) &&
         found.st_ino == static_cast<ino_t>(inode_);
}

// Sets has_file_, and the descriptor if the file may be opened.
Status FileLock::open() {
  descriptor_ = open_to_lock(path_, O_RDONLY);
  if (descriptor_ < 0 && errno == EACCES) descriptor_ = open_to_lock(path_, O_WRONLY);
  if (descriptor_ < 0 && errno == ENOENT) return {};
  if (descriptor_ < 0 && errno != EACCES) return write_error(errno, "the file cannot be opened");
  struct stat found {};
  const int result =
      descriptor_ >= 0 ? ::fstat(descriptor_, &found) : ::stat(path_.c_str(), &found);
  if (result != 0) return write_error(errno, "the file cannot be looked at");
  if (!S_ISREG(found.st_mode)) return io_error("what has the name is not a regular file");
  device_ = found.st_dev;
  inode_ = found.st_ino;
  has_file_ = true;
  return {};
}

Status FileLock::wait(const LockConfig& config, Clock::time_point begin) {
  milliseconds pause = kFirstPause;
  while (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno == EBADF) {  // some network file systems require write access for an exclusive lock
      ::close(descriptor_);
      descriptor_ = open_to_lock(path_, O_RDWR);
      if (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) break;
      if (descriptor_ < 0 || errno == EBADF) return {};
    }
    if (errno != EWOULDBLOCK) return {};  // the file system does not support locks
    const auto waited = std::chrono::duration_cast<milliseconds>(Clock::now() - begin);
    if (config.timeout && waited >= *config.timeout) {
      return Status(ErrorKind::kTimedOut, "the file is being written by another process");
    }
    if (config.while_waiting && !config.while_waiting(waited)) {
      return Status(ErrorKind::kCancelled, "waiting for the file's lock was stopped");
    }
    if (config.timeout) pause = std::min(pause, *config.timeout - waited);
    std::this_thread::sleep_for(std::max(pause, kFirstPause));
    pause = std::min(2 * pause, kMaxPause);
  }
  is_held_ = descriptor_ >= 0;
  process_ = ::getpid();
  return {};
}

Status FileLock::lock(const std::string& path, const LockConfig& config) noexcept {
  release();
  const Status status = guarded([&]() -> Status {
    const Clock::time_point begin = Clock::now();
    while (true) {
      NUMPACT_TRY(follow_links(path).into(path_));
      NUMPACT_TRY(open());
      if (!has_file_) return {};
      NUMPACT_TRY(wait(config, begin));
      if (is_current()) return {};
      release();
    }
  });
  if (!status.ok()) release();
  return status;
}

Status FileLock::replace(const std::string& from) noexcept {
  if (!has_file_ || !is_current()) {
    return io_error("the file was removed or replaced by another program meanwhile");
  }
  if (::rename(from.c_str(), path_.c_str()) != 0) {
    return write_error(errno, "the file cannot be replaced");
  }
  release();
  return {};
}

Status replace_file(const std::string& from, const std::string& path,
                    const LockConfig& config) noexcept {
  return guarded([&]() -> Status {
    while (true) {
      FileLock lock;
      NUMPACT_TRY(lock.lock(path, config));
      const bool is_renamed = lock.has_file() ? ::rename(from.c_str(), lock.path().c_str()) == 0
                                              : rename_to_free_name(from, lock.path());
      if (is_renamed) return {};
      const int error = errno;
      // A file has appeared, which others may write: start over with its lock.
      if (error == EEXIST && !lock.has_file()) continue;
      return write_error(error, "the file cannot be replaced");
    }
  });
}

}  // namespace numpact
