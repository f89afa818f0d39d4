// SPDX-License-Identifier: Apache-2.0
// Replacing files that several processes or threads write.
#ifndef NUMPACT_FILE_LOCK_HPP
#define NUMPACT_FILE_LOCK_HPP

#include <chrono>
#include <cstdint>
#include <string>

#include "numpact/error.hpp"
#include "numpact/lock_config.hpp"

namespace numpact {

// Where a path leads through symbolic links; what the last of them names need not exist. kIo for
// links that lead back to themselves.
NUMPACT_API Status try_follow_links(const std::string& path, std::string& target) noexcept;

// Gives an open file or folder, which is to take the place of what `path` names, the access that
// this one has: permissions but for the set-user-ID, set-group-ID and sticky bits, an access
// control list, and owner and group where the system allows. Where the group cannot be kept, what
// it may do is no more than what all may. Nothing is done where there is no file. kIo.
NUMPACT_API Status try_take_access(int descriptor, const std::string& path) noexcept;

// The right to write on a file by putting a longer one in its place. It has one holder at a time
// among all processes and threads that ask for it, as all writers of numpact do: those that write
// on what is there hold it from before they read the old end until the new file has the name,
// those that only replace (try_replace_file) while they rename.
//
// It is an advisory lock on the file itself (flock): other programs do not see it, no file is made
// for it, and it ends with its process. On file systems without such locks, and for files that may
// be neither read nor written, nothing is locked, but try_replace() still refuses where the file is
// no longer the one that was there.
//
// One thread at a time may use an object. A copy that fork() makes does not release the lock.
class NUMPACT_API FileLock {
 public:
  // Of no file.
  FileLock() noexcept = default;
  ~FileLock() { release(); }
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;

  // Takes the lock of the file that the path leads to, by then: if it is replaced during the wait,
  // that of the new one. There need not be a file. Errors: kTimedOut and kCancelled as the config
  // says; kIo where the path leads to no regular file or cannot be followed or opened.
  Status try_lock(const std::string& path, const LockConfig& config = {}) noexcept;

  // Whether there is a file, and whether its lock is held.
  bool has_file() const noexcept { return has_file_; }
  bool is_held() const noexcept { return is_held_; }
  // Where the path led when the lock was taken.
  const std::string& path() const noexcept { return path_; }

  // Renames the file `from`, which lies in the same file system, to path() and releases the lock.
  // kIo: there is no file, it was replaced by somebody who did not ask, or renaming failed; then
  // all stays as it is.
  Status try_replace(const std::string& from) noexcept;

  // After an error of kIo: errno of the call that failed; 0 where none did.
  int system_error() const noexcept { return system_error_; }

  void release() noexcept;

 private:
  using Clock = std::chrono::steady_clock;

  Status open();
  Status lock(const LockConfig& config, Clock::time_point begin);
  bool is_current() const noexcept;
  Status failed(const char* what) noexcept;

  std::string path_;
  int descriptor_ = -1;
  int system_error_ = 0;
  std::int64_t process_ = 0;  // that has taken it
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
  bool has_file_ = false;
  bool is_held_ = false;
};

// Renames the file `from` to what `path` leads to, in the same file system, whatever is there by
// then; under its lock, so that nobody who writes on the old file is cut off. Errors: as of
// FileLock; `from` then stays. `system_error`, if not null, gets errno of the call that failed.
NUMPACT_API Status try_replace_file(const std::string& from, const std::string& path,
                                    const LockConfig& config = {},
                                    int* system_error = nullptr) noexcept;

}  // namespace numpact

#endif
