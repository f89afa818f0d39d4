// SPDX-License-Identifier: Apache-2.0
// Replaces files that several processes or threads write.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "numpact/error.hpp"

namespace numpact {

// How long to wait for a file that another writer has locked.
struct LockConfig {
  // Maximum wait; none: unlimited; 0: do not wait.
  std::optional<std::chrono::milliseconds> timeout;
  // Called several times per second during the wait; returning false stops it with kCancelled. Must
  // not throw.
  std::function<bool(std::chrono::milliseconds waited)> while_waiting;
};

// Resolves symbolic links; the final target need not exist. kIo: circular links.
NUMPACT_API Result<std::string> follow_links(const std::string& path) noexcept;

// Gives an open file or folder, which is to replace the file at `path`, that file's access:
// permissions without the set-user-ID, set-group-ID and sticky bits, access control list, and owner
// and group where the system allows. If the group cannot be kept, its permissions are limited to
// those that others have too. Does nothing if there is no file. kIo.
NUMPACT_API Status take_access(int descriptor, const std::string& path) noexcept;

// The exclusive right to replace a file. All writers of numpact request it: those that extend a
// file hold it from before they read the old end until the new file is renamed; those that only
// replace (replace_file) hold it during the rename.
//
// This is an advisory lock on the file itself (flock; on Windows LockFileEx on a byte beyond any
// file's end), which ends with its process. Where the file system lacks such locks, or the file can
// be neither read nor written, nothing is locked, but replace() still fails if the file is no
// longer the same. One thread at a time. A copy created by fork() does not release the lock.
class NUMPACT_API FileLock {
 public:
  FileLock() noexcept = default;  // without a file
  ~FileLock() { release(); }
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;

  // Locks the file at the end of the path's links; if it is replaced during the wait, locks the new
  // one. The file need not exist. Errors: kTimedOut and kCancelled as configured; kIo if the target
  // is not a regular file or cannot be resolved or opened.
  Status lock(const std::string& path, const LockConfig& config = {}) noexcept;

  // Whether the file exists, and whether its lock is held.
  bool has_file() const noexcept { return has_file_; }
  bool is_held() const noexcept { return is_held_; }
  // The resolved path of the locked file.
  const std::string& path() const noexcept { return path_; }

  // Renames the file `from` (on the same file system) to path() and releases the lock. kIo: the
  // file is missing, was replaced by a program that ignores the lock, or renaming failed; nothing
  // changes then.
  Status replace(const std::string& from) noexcept;

  // No effect while lock() waits.
  void release() noexcept;

 private:
  using Clock = std::chrono::steady_clock;

  void let_go() noexcept;
  Status open();
  Status wait(const LockConfig& config, Clock::time_point begin);
  bool is_current() const noexcept;

  std::string path_;
  int descriptor_ = -1;
  std::int64_t process_ = 0;  // that took the lock
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
  bool has_file_ = false;
  bool is_held_ = false;
  bool is_in_use_ = false;  // lock() runs
};

// Renames the file `from` to the target of `path` on the same file system, under the lock of any
// file there, so that no writer extending it loses data. Errors: as FileLock; `from` then remains.
NUMPACT_API Status replace_file(const std::string& from, const std::string& path,
                                const LockConfig& config = {}) noexcept;

}  // namespace numpact
