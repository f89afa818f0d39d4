// SPDX-License-Identifier: Apache-2.0
// Temporary files and folders, removed when the work fails and when a signal ends the program,
// which also ends the programs that this one has started.
#ifndef NUMPACT_CLI_CLEANUP_HPP
#define NUMPACT_CLI_CLEANUP_HPP

#include <sys/types.h>

#include <functional>
#include <set>
#include <string>

#include "numpact/file_lock.hpp"

namespace numpact::cli {

// To be called first, before any other thread exists: from then on SIGINT, SIGTERM and SIGHUP
// remove what is registered here before they end the program, and a write to a closed pipe or past
// the limit on file sizes is an error instead of a signal.
void watch_signals();

// A file or folder of a name that did not exist before. Removed with all it holds when the object
// goes, unless it was moved to its final name.
class TemporaryPath {
 public:
  // A private folder is for nobody else, whatever there is at `target`.
  enum class Kind { kFile, kFolder, kPrivateFolder };
  enum class Sync { kNow, kLater };

  // Makes it beside `target`, under a hidden name. Nobody else may use it where there is something
  // at `target` already, whose access is then to be taken over (try_take_access).
  TemporaryPath(const std::string& target, Kind kind);
  ~TemporaryPath();
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;

  const std::string& path() const { return path_; }
  const std::string& left() const { return left_; }
  // The open descriptor of a file, for the caller to close; -1 for a folder.
  int descriptor() const { return descriptor_; }

  // Gives `path`, this object's own or inside it, the name `target`, which must be free. The
  // folder's entry is synced to disk, unless the caller does so later.
  void move(const std::string& path, const std::string& target, Sync sync = Sync::kNow);

  // Puts this folder in the place of the folder `target`, of which only the files `names` are
  // removed. False if that holds others by then: what was there stays beside it, as left().
  bool replace_folder(const std::string& target, const std::set<std::string>& names);

  // The same for a file that replaces another: those who write that one are waited for. `held`:
  // its lock, where it was taken before the old file was read. `name` is for messages.
  void replace_file(const std::string& path, const std::string& target, const std::string& name,
                    const LockConfig& config, FileLock& held);

 private:
  std::string path_;  // empty once the folder has another's place
  std::string left_;
  int descriptor_ = -1;
};

// Starts a process that is killed when a signal ends this program: `start` sets its number and
// gives 0, or errno, which is given back.
int start_guarded(pid_t& process, const std::function<int(pid_t&)>& start);
// The process has ended, but its number is not free yet.
void end_guard(pid_t process);

// Puts the entries of a folder on disk, where the file system can.
void sync_folder(const std::string& folder);

// The folder of a path, "." if it names none.
std::string folder_of(const std::string& path);

}  // namespace numpact::cli

#endif
