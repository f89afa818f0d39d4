// SPDX-License-Identifier: Apache-2.0
#include "platform/replacement.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <vector>

#include "platform/files.hpp"

#ifdef __linux__
#include <sys/syscall.h>
#include <sys/xattr.h>
#ifdef __GLIBC__
#define NUMPACT_HAS_RENAMEAT2 __GLIBC_PREREQ(2, 28)
#else
#define NUMPACT_HAS_RENAMEAT2 0
#endif
#endif

namespace numpact::internal::platform {
namespace {

// Excludes the set-user-ID, set-group-ID and sticky bits, which were granted to the old contents.
constexpr mode_t kPermissions = 0777;
constexpr mode_t kGroup = 0070;

// Reduces the group's permissions to those of others.
mode_t without_group(mode_t mode) { return (mode & ~kGroup) | (mode & kGroup & (mode << 3)); }

#ifdef __linux__
constexpr const char* kList = "system.posix_acl_access";

// The access control list of a file; empty if it has none or the file system does not support it.
std::vector<char> list_of(const char* path) {
  const ssize_t size = ::getxattr(path, kList, nullptr, 0);
  if (size <= 0) return {};
  std::vector<char> list(static_cast<std::size_t>(size));
  const ssize_t got = ::getxattr(path, kList, list.data(), list.size());
  list.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return list;
}

// An empty list removes the one that the new file may have inherited from its folder.
bool set_list(int descriptor, const std::vector<char>& list) {
  if (!list.empty()) return ::fsetxattr(descriptor, kList, list.data(), list.size(), 0) == 0;
  return ::fremovexattr(descriptor, kList) == 0 || errno == ENODATA || errno == ENOTSUP;
}

#ifdef SYS_renameat2
// Flags of the system call; glibc has a function and names for them from 2.28 on.
constexpr unsigned kNoReplace = 1;
constexpr unsigned kExchange = 2;

bool rename_with(const std::string& from, const std::string& to, unsigned flags) {
#if NUMPACT_HAS_RENAMEAT2
  return ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags) == 0;
#else
  return ::syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags) == 0;
#endif
}
#endif
#else
std::vector<char> list_of(const char*) { return {}; }
bool set_list(int, const std::vector<char>&) { return true; }
#endif

}  // namespace

bool rename_over(const std::string& from, const std::string& to) {
  return ::rename(from.c_str(), to.c_str()) == 0;
}

bool rename_to_free_name(const std::string& from, const std::string& to) {
#if defined(__linux__) && defined(SYS_renameat2)
  if (rename_with(from, to, kNoReplace)) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
#endif
  struct stat found = {};
  if (::lstat(to.c_str(), &found) == 0) {
    errno = EEXIST;
    return false;
  }
  return ::rename(from.c_str(), to.c_str()) == 0;
}

bool open_folders_move() noexcept { return true; }

bool exchange_folders(const std::string& from, const std::string& to, const std::string& spare,
                      std::string& old) {
  old = from;
#if defined(__linux__) && defined(SYS_renameat2)
  if (rename_with(from, to, kExchange)) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
#endif
  old = spare;
  if (::rename(to.c_str(), old.c_str()) != 0) return false;
  if (::rename(from.c_str(), to.c_str()) == 0) return true;
  const int reason = errno;
  ::rename(old.c_str(), to.c_str());
  errno = reason;
  return false;
}

bool remove_old_folder(std::string& old) { return remove_folder(old); }

void sync_folder(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  // Some file systems do not support it: the entries are then as safe as they make them.
  (void)::fsync(descriptor);
  ::close(descriptor);
}

AccessTaking take_access(int descriptor, const std::string& path) {
  struct stat old = {};
  struct stat now = {};
  if (::stat(path.c_str(), &old) != 0) return AccessTaking::kDone;
  if (::fstat(descriptor, &now) != 0) return AccessTaking::kNotSeen;
  bool has_group = now.st_gid == old.st_gid;
  if (now.st_uid != old.st_uid || !has_group) {
    // Only a privileged process may change the owner; any process may set one of its own groups.
    has_group = ::fchown(descriptor, old.st_uid, old.st_gid) == 0 ||
                ::fchown(descriptor, static_cast<uid_t>(-1), old.st_gid) == 0 || has_group;
  }
  const std::vector<char> list = has_group ? list_of(path.c_str()) : std::vector<char>();
  const bool has_list = set_list(descriptor, list);
  // With a list, the group bits are the mask: the maximum permissions of its entries.
  const mode_t mode = old.st_mode & kPermissions;
  const mode_t allowed = has_group && has_list ? mode : without_group(mode);
  if ((list.empty() && !has_list) || ::fchmod(descriptor, allowed) != 0) {
    return AccessTaking::kNotKept;
  }
  return AccessTaking::kDone;
}

int open_to_take_access(const std::string& path) {
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
}

}  // namespace numpact::internal::platform
