// SPDX-License-Identifier: Apache-2.0
// Exclusive locks of files, and turns of folders. They are advisory: only programs that request
// them are affected.
#pragma once

#include <string>
#include <utility>

namespace numpact::internal::platform {

// Takes the lock for the open file, without waiting. Returns 0, EWOULDBLOCK if it is held through
// another open file, EBADF if the file must be open for writing, or another error if the file
// system has no locks. The lock ends with the last descriptor of the open file.
int try_lock(int descriptor);
void unlock(int descriptor);

// The right to replace a folder where the lock of a file in it has to be released for that
// (open_folders_move()): a file next to the folder, which one program at a time has open, and which
// the system removes when it is closed. On other systems that lock is enough, and a turn has no
// file.
class FolderTurn {
 public:
  FolderTurn() noexcept = default;
  ~FolderTurn() { release(); }
  FolderTurn(FolderTurn&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  FolderTurn& operator=(FolderTurn&& other) noexcept {
    if (this == &other) return *this;
    release();
    file_ = std::exchange(other.file_, -1);
    return *this;
  }

  // Takes the turn of a folder, which need not exist, without waiting. Returns 0, EWOULDBLOCK if
  // another object has it, or another error.
  int take(const std::string& folder);
  void release() noexcept;

 private:
  int file_ = -1;
};

}  // namespace numpact::internal::platform
