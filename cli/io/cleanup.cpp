// SPDX-License-Identifier: Apache-2.0
#include "io/cleanup.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "failure.hpp"

namespace numpact::cli {
namespace {

// Never destroyed, since the watching thread may outlive main().
struct Registry {
  std::mutex mutex;
  std::set<std::string> paths;
  std::set<pid_t> processes;
};

Registry& registry() {
  static Registry& instance = *new Registry;
  return instance;
}

void remove_path(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

void wait_and_clean(sigset_t signals) {
  int signal_number = 0;
  while (sigwait(&signals, &signal_number) != 0) {
  }
  // Never unlocked, so that nothing is created or moved any more.
  registry().mutex.lock();
  for (const pid_t process : registry().processes) ::kill(process, SIGKILL);
  for (const std::string& path : registry().paths) remove_path(path);
  ::signal(signal_number, SIG_DFL);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal_number);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  ::raise(signal_number);
  ::_exit(128 + signal_number);
}

std::string hidden_name(const std::string& target) {
  constexpr std::size_t kMaxHiddenNameBytes = 180;
  static std::random_device random;
  std::filesystem::path path(target);
  const std::string name = path.filename().string().substr(0, kMaxHiddenNameBytes);
  return folder_of(target) + fmt::format("/.{}.{}-{:08x}.tmp", name, ::getpid(), random());
}

// Renames without ever replacing a file. Returns false with errno on failure.
bool move_to_free_name(const std::string& from, const std::string& to) {
#if defined(__linux__) && defined(RENAME_NOREPLACE)
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
#endif
  struct stat found = {};
  if (::lstat(to.c_str(), &found) == 0) {
    errno = EEXIST;
    return false;
  }
  return ::rename(from.c_str(), to.c_str()) == 0;
}

// Replaces the folder `to` with the folder `from`. `old` becomes the path of the previous contents,
// which is `from` if the system can exchange both atomically.
bool exchange_folders(const std::string& from, const std::string& to, std::string& old) {
  old = from;
#if defined(__linux__) && defined(RENAME_EXCHANGE)
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
#endif
  old = hidden_name(to);
  if (::rename(to.c_str(), old.c_str()) != 0) return false;
  if (::rename(from.c_str(), to.c_str()) == 0) return true;
  const int reason = errno;
  ::rename(old.c_str(), to.c_str());
  errno = reason;
  return false;
}

}  // namespace

void watch_signals() {
  ::signal(SIGPIPE, SIG_IGN);
#ifdef SIGXFSZ
  ::signal(SIGXFSZ, SIG_IGN);
#endif
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction current = {};
    // Signals that the caller ignores (nohup) stay ignored.
    if (::sigaction(number, nullptr, &current) == 0 && current.sa_handler != SIG_IGN) {
      sigaddset(&signals, number);
    }
  }
  registry();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread(wait_and_clean, signals).detach();
}

int start_guarded(pid_t& process, const std::function<int(pid_t&)>& start) {
  const std::lock_guard lock(registry().mutex);
  const int error = start(process);
  if (error == 0) registry().processes.insert(process);
  return error;
}

void end_guard(pid_t process) {
  const std::lock_guard lock(registry().mutex);
  registry().processes.erase(process);
}

void sync_folder(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(
      descriptor);  // unsupported by some file systems; the entry is then as safe as they make it
  ::close(descriptor);
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

TemporaryPath::TemporaryPath(const std::string& target, Kind kind) {
  struct stat found = {};
  const bool is_private = kind == Kind::kPrivateFolder || ::stat(target.c_str(), &found) == 0;
  const std::lock_guard lock(registry().mutex);
  for (int attempt = 0; attempt < 100; ++attempt) {
    path_ = hidden_name(target);
    if (kind == Kind::kFile) {
      descriptor_ =
          ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, is_private ? 0600 : 0666);
      if (descriptor_ >= 0) break;
    } else if (::mkdir(path_.c_str(), is_private ? 0700 : 0777) == 0) {
      break;
    }
    if (errno != EEXIST) fail_errno(target, "cannot be written");
    path_.clear();
  }
  if (path_.empty()) {
    throw Failure(ExitCode::kFailure, target, "cannot be written: no free temporary name");
  }
  registry().paths.insert(path_);
}

TemporaryPath::~TemporaryPath() {
  if (path_.empty()) return;
  const std::lock_guard lock(registry().mutex);
  remove_path(path_);
  registry().paths.erase(path_);
}

void TemporaryPath::move(const std::string& path, const std::string& target, Sync sync) {
  const std::string folder =
      folder_of(target);  // before the rename, since nothing may fail after it
  const std::lock_guard lock(registry().mutex);
  const bool moved = move_to_free_name(path, target);
  if (!moved && errno == EEXIST) {
    throw Failure(ExitCode::kFailure, target, "exists already (-f overwrites it)");
  }
  if (!moved) fail_errno(target, "cannot be written");
  if (sync == Sync::kNow) sync_folder(folder);
}

bool TemporaryPath::replace_folder(const std::string& target, const std::set<std::string>& names) {
  const std::string folder = folder_of(target);
  // Delays signals until the old files are removed.
  const std::lock_guard lock(registry().mutex);
  std::string old;
  if (!exchange_folders(path_, target, old)) fail_errno(target, "cannot be written");
  // The old folder was not created by this program: only the named files are removed.
  registry().paths.erase(path_);
  path_.clear();
  for (const std::string& name : names) ::unlink((std::filesystem::path(old) / name).c_str());
  const bool removed = ::rmdir(old.c_str()) == 0;
  if (!removed) leftover_ = old;
  sync_folder(folder);
  return removed;
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
  sync_folder(folder);
}

}  // namespace numpact::cli
