// SPDX-License-Identifier: Apache-2.0
// Access rights of a file that replaces another.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "api/io_error.hpp"
#include "base/guard.hpp"
#include "base/internal.hpp"
#include "numpact/file_lock.hpp"

#ifdef __linux__
#include <sys/xattr.h>
#endif

namespace numpact {
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
#else
std::vector<char> list_of(const char*) { return {}; }
bool set_list(int, const std::vector<char>&) { return true; }
#endif

}  // namespace

Status take_access(int descriptor, const std::string& path) noexcept {
  return guarded([&]() -> Status {
    struct stat old {};
    struct stat now {};
    if (::stat(path.c_str(), &old) != 0) return {};
    if (::fstat(descriptor, &now) != 0) return write_error(errno, "the file cannot be looked at");
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
      return write_error(errno, "the file's permissions cannot be kept");
    }
    return {};
  });
}

}  // namespace numpact
