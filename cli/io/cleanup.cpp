// SPDX-License-Identifier: Apache-2.0
#include "io/cleanup.hpp"

#include <cerrno>
#include <mutex>
#include <random>
#include <set>
#include <string_view>

#include "failure.hpp"
#include "platform/files.hpp"
#include "platform/folders.hpp"
#include "platform/paths.hpp"
#include "platform/program.hpp"
#include "platform/replacement.hpp"
#include "platform/temporary.hpp"

namespace numpact::cli {
namespace {

// Never destroyed, since the watching thread may outlive main().
struct Registry {
  std::mutex mutex;
  std::set<std::string> paths;
};

Registry& registry() {
  static Registry& instance = *new Registry;
  return instance;
}

// Is added to hidden names, so that the result has their pattern, too.
constexpr const char* kMovedEnding = ".old";
// How often a folder is removed again. A thread that was opening a file while the folder got its
// other name may put that one file into it: once for each thread, of which there are at most 1,024.
constexpr int kRemovals = 1024;

void clean() {
  // Never unlocked, so that nothing is created or moved any more.
  registry().mutex.lock();
  for (const std::string& path : registry().paths) {
    // Other threads run on until the program ends. They would put files into a folder while it is
    // removed, so that it would stay; under another name they do not find it.
    const std::string moved = path + kMovedEnding;
    const std::string& now = platform::rename_to_free_name(path, moved) ? moved : path;
    platform::FileInfo found;
    for (int i = 0; i < kRemovals && platform::look_at(now, found); ++i) platform::remove_all(now);
  }
}

std::string hidden_name(const std::string& target) {
  static std::random_device random;
  const std::string_view name = std::string_view(target).substr(platform::name_start(target));
  return platform::hidden_name(folder_of(target) + "/", name, random());
}

}  // namespace

void watch_signals() {
  registry();
  platform::clean_before_end(clean);
}

std::string folder_of(const std::string& path) {
  const std::string folder = platform::folder_part(path);
  return folder.empty() ? "." : folder;
}

TemporaryPath::TemporaryPath(const std::string& target, Kind kind, const std::string& name)
    : name_(name) {
  platform::FileInfo found;
  const bool is_private = kind == Kind::kPrivateFolder || platform::look_at(target, found);
  const std::lock_guard lock(registry().mutex);
  for (int attempt = 0; attempt < 100; ++attempt) {
    path_ = hidden_name(target);
    if (kind == Kind::kFile) {
      descriptor_ = platform::create_file(path_, platform::Access::kWrite, is_private);
      if (descriptor_ >= 0) break;
    } else if (platform::make_folder(path_, is_private)) {
      break;
    }
    if (errno != EEXIST) fail_errno(name.empty() ? target : name, "cannot be written");
    path_.clear();
  }
  if (path_.empty()) {
    fail(name.empty() ? target : name, "cannot be written: no free temporary name");
  }
  registry().paths.insert(path_);
}

void SignalGuard::forget() {
  if (!lock_.owns_lock()) hold();
  for (const std::string& path : paths_) registry().paths.erase(path);
  paths_.clear();
  lock_.unlock();
}

void SignalGuard::add(const std::function<std::vector<std::string>()>& make) {
  const std::lock_guard lock(registry().mutex);
  paths_ = make();
  registry().paths.insert(paths_.begin(), paths_.end());
}

void SignalGuard::hold() { lock_ = std::unique_lock(registry().mutex); }

TemporaryPath::~TemporaryPath() {
  if (path_.empty()) return;
  const std::lock_guard lock(registry().mutex);
  platform::remove_all(path_);
  registry().paths.erase(path_);
}

void TemporaryPath::move(const std::string& path, const std::string& target, Sync sync) {
  const std::string folder =
      folder_of(target);  // before the rename, since nothing may fail after it
  const std::lock_guard lock(registry().mutex);
  const bool moved = platform::rename_to_free_name(path, target);
  const std::string& name = name_.empty() ? target : name_;
  if (!moved && errno == EEXIST) fail(name, "exists already (-f overwrites it)");
  if (!moved) fail_errno(name, "cannot be written");
  if (sync == Sync::kNow) platform::sync_folder(folder);
}

void TemporaryPath::replace_file(const std::string& path, const std::string& target,
                                 const std::string& name, const LockConfig& config,
                                 FileLock& lock) {
  const std::string folder =
      folder_of(target);  // before the rename, since nothing may fail after it
  // Does not hold the registry's mutex, since this may wait for long. A signal either removes the
  // temporary file before the rename, or the new file is already in place.
  const Status status =
      lock.has_file() ? lock.replace(path) : numpact::replace_file(path, target, config);
  if (status.kind() == ErrorKind::kIo && status.system_error() != 0) {
    errno = status.system_error();
    fail_errno(name, "cannot be written");
  }
  check(status, name);
  platform::sync_folder(folder);
}

}  // namespace numpact::cli
