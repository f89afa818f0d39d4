// SPDX-License-Identifier: Apache-2.0
// Appending renames a longer copy over the file, so a lock on the old inode is then worthless:
// after locking, check that the path still leads to the same inode, and otherwise start over.
#include "numpact/file_lock.hpp"

#include <algorithm>
#include <cerrno>
#include <thread>
#include <utility>

#include "api/io_error.hpp"
#include "base/guard.hpp"
#include "base/in_use.hpp"
#include "base/internal.hpp"
#include "base/try.hpp"
#include "platform/files.hpp"
#include "platform/locks.hpp"
#include "platform/paths.hpp"
#include "platform/processes.hpp"
#include "platform/replacement.hpp"

namespace numpact {
namespace {

using std::chrono::milliseconds;

// Locks have no timeout, so they are polled. The pause doubles up to kMaxPause, which bounds how
// long a free lock stays unused.
constexpr milliseconds kFirstPause{1};
constexpr milliseconds kMaxPause{20};

int open_to_lock(const std::string& path, platform::Access access) {
  return platform::open_file(path, access, platform::Opening::kAtOnce);
}

}  // namespace

Result<std::string> follow_links(const std::string& path) noexcept {
  return guarded_value<std::string>([&](std::string& target) -> Status {
    if (platform::follow_links(path, target)) return {};
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
  if (!is_in_use_) let_go();
}

void FileLock::let_go() noexcept {
  // Forked processes share the descriptor, so closing it would not release the lock.
  if (is_held_ && process_ == platform::current_process()) platform::unlock(descriptor_);
  if (descriptor_ >= 0) platform::close_file(descriptor_);
  descriptor_ = -1;
  has_file_ = false;
  is_held_ = false;
}

bool FileLock::is_current() const noexcept {
  platform::FileInfo found;
  return platform::look_at(path_, found) && found.device == device_ && found.inode == inode_;
}

// Sets has_file_, and the descriptor if the file may be opened.
Status FileLock::open() {
  descriptor_ = open_to_lock(path_, platform::Access::kRead);
  if (descriptor_ < 0 && errno == EACCES)
    descriptor_ = open_to_lock(path_, platform::Access::kWrite);
  if (descriptor_ < 0 && errno == ENOENT) return {};
  if (descriptor_ < 0 && errno != EACCES) return write_error(errno, "the file cannot be opened");
  platform::FileInfo found;
  const bool is_seen =
      descriptor_ >= 0 ? platform::look_at(descriptor_, found) : platform::look_at(path_, found);
  if (!is_seen) return write_error(errno, "the file cannot be looked at");
  if (!found.is_regular()) return io_error("what has the name is not a regular file");
  device_ = found.device;
  inode_ = found.inode;
  has_file_ = true;
  return {};
}

Status FileLock::wait(const LockConfig& config, Clock::time_point begin) {
  milliseconds pause = kFirstPause;
  while (descriptor_ >= 0) {
    int error = platform::try_lock(descriptor_);
    if (error == EBADF) {  // some network file systems require write access for an exclusive lock
      platform::close_file(descriptor_);
      descriptor_ = open_to_lock(path_, platform::Access::kReadWrite);
      if (descriptor_ < 0) return {};
      error = platform::try_lock(descriptor_);
    }
    if (error == 0) break;
    if (error != EWOULDBLOCK) return {};  // the file system does not support locks
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
  process_ = platform::current_process();
  return {};
}

Status FileLock::lock(const std::string& path, const LockConfig& config) noexcept {
  const InUse use(is_in_use_);
  if (use.is_refused()) return in_use();
  let_go();
  const Status status = guarded([&]() -> Status {
    const Clock::time_point begin = Clock::now();
    while (true) {
      NUMPACT_TRY(follow_links(path).into(path_));
      NUMPACT_TRY(open());
      if (!has_file_) return {};
      NUMPACT_TRY(wait(config, begin));
      if (is_current()) return {};
      let_go();
    }
  });
  if (!status.ok()) let_go();
  return status;
}

Status FileLock::replace(const std::string& from) noexcept {
  if (is_in_use_) return in_use();
  if (!has_file_ || !is_current()) {
    return io_error("the file was removed or replaced by another program meanwhile");
  }
  if (!platform::rename_over(from, path_)) {
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
      const bool is_renamed = lock.has_file() ? platform::rename_over(from, lock.path())
                                              : platform::rename_to_free_name(from, lock.path());
      if (is_renamed) return {};
      const int error = errno;
      // A file has appeared, which others may write: start over with its lock.
      if (error == EEXIST && !lock.has_file()) continue;
      return write_error(error, "the file cannot be replaced");
    }
  });
}

}  // namespace numpact
