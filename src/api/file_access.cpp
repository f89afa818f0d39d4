// SPDX-License-Identifier: Apache-2.0
// Who may use a file that takes the place of another one.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "api/io_error.hpp"
#include "base/guard.hpp"
#include "numpact/file_lock.hpp"

#ifdef __linux__
#include <sys/xattr.h>
#endif

namespace numpact {
namespace {

// Not the set-user-ID, set-group-ID and sticky bits: the new contents are not the ones that they
// were granted to.
constexpr mode_t kPermissions = 0777;
constexpr mode_t kGroup = 0070;

// What the group may do is cut to what all others may.
mode_t without_group(mode_t mode) { return (mode & ~kGroup) | (mode & kGroup & (mode << 3)); }

#ifdef __linux__
constexpr const char* kList = "system.posix_acl_access";

// The access control list of a file; empty where it has none, or the file system knows none.
std::vector<char> list_of(const char* path) {
  const ssize_t size = ::getxattr(path, kList, nullptr, 0);
  if (size <= 0) return {};
  std::vector<char> list(static_cast<std::size_t>(size));
  const ssize_t got = ::getxattr(path, kList, list.data(), list.size());
  list.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return list;
}

// The new file may have got a list from its folder, which would let others in.
bool set_list(int descriptor, const std::vector<char>& list) {
  if (!list.empty()) return ::fsetxattr(descriptor, kList, list.data(), list.size(), 0) == 0;
  return ::fremovexattr(descriptor, kList) == 0 || errno == ENODATA || errno == ENOTSUP;
}
#else
std::vector<char> list_of(const char*) { return {}; }
bool set_list(int, const std::vector<char>&) { return true; }
#endif

}  // namespace

Status try_take_access(int descriptor, const std::string& path) noexcept {
  return guarded([&]() -> Status {
    struct stat old {};
    struct stat now {};
    if (::stat(path.c_str(), &old) != 0) return {};
    if (::fstat(descriptor, &now) != 0) return write_error(errno, "the file cannot be looked at");
    bool has_group = now.st_gid == old.st_gid;
    if (now.st_uid != old.st_uid || !has_group) {
      // Only a privileged process may give a file away; a group that it is in anybody may give.
      has_group = ::fchown(descriptor, old.st_uid, old.st_gid) == 0 ||
                  ::fchown(descriptor, static_cast<uid_t>(-1), old.st_gid) == 0 || has_group;
    }
    const std::vector<char> list = has_group ? list_of(path.c_str()) : std::vector<char>();
    const bool has_list = set_list(descriptor, list);
    // Where there is a list, the group's bits are what any in it may do at most.
    const mode_t mode = old.st_mode & kPermissions;
    const mode_t allowed = has_group && has_list ? mode : without_group(mode);
    if ((list.empty() && !has_list) || ::fchmod(descriptor, allowed) != 0) {
      return write_error(errno, "the file's permissions cannot be kept");
    }
    return {};
  });
}

}  // namespace numpact
