// SPDX-License-Identifier: Apache-2.0
// Temporary files and folders, which are removed on failure and when a signal ends the program.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "failure.hpp"
#include "numpact/file_lock.hpp"

namespace numpact::cli {

// Must be called first, before any other thread exists. Afterwards SIGINT, SIGTERM and SIGHUP (on
// Windows Ctrl-C) remove the registered paths before they end the program. A write to a closed pipe
// or beyond the file size limit becomes an error instead of a signal.
void watch_signals();

// A new file or folder with a unique name. The destructor removes it with its contents, unless it
// was moved to its final name.
class TemporaryPath {
 public:
  // A private folder is accessible to its owner only, whatever exists at `target`.
  enum class Kind { kFile, kFolder, kPrivateFolder };
  enum class Sync { kNow, kLater };

  // Creates it next to `target` under a hidden name. If `target` exists, only the owner has access
  // at first; the caller then copies the access rights of `target` (take_access). Errors name
  // `name`; empty: `target`.
  TemporaryPath(const std::string& target, Kind kind, const std::string& name = "");
  ~TemporaryPath();
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;

  const std::string& path() const { return path_; }
  // The open descriptor of a file, which the caller closes; -1 for a folder.
  int descriptor() const { return descriptor_; }

  // Renames `path`, which is this object's own path or a path inside it, to `target`, which must
  // not exist. Syncs the parent folder to disk, unless the caller does so later.
  void move(const std::string& path, const std::string& target, Sync sync = Sync::kNow);

  // Replaces a file with another one. Waits for other processes that are writing it. `lock`: the
  // lock of the old file, if it was acquired before that file was read. `name` is for messages.
  void replace_file(const std::string& path, const std::string& target, const std::string& name,
                    const LockConfig& config, FileLock& lock);

 private:
  std::string name_;  // for messages
  std::string path_;
  int descriptor_ = -1;
};

// Paths that the library makes and removes, and that are also removed when a signal ends the
// program, until forget() or the destructor.
class SignalGuard {
 public:
  SignalGuard() = default;
  ~SignalGuard() { forget(); }
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

  // Calls `make`, which returns the paths. It must not wait for others: a signal waits for it.
  void add(const std::function<std::vector<std::string>()>& make);
  // Delays signals, and all who register paths, until forget().
  void hold();
  // The paths stay from now on.
  void forget();

 private:
  std::vector<std::string> paths_;
  std::unique_lock<std::mutex> lock_;
};

// The parent folder of a path; "." if the path names none.
std::string folder_of(const std::string& path);

}  // namespace numpact::cli
