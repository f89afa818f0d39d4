// SPDX-License-Identifier: Apache-2.0
#include "platform/folders.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

#include "platform/posix/file_info.hpp"

namespace numpact::internal::platform {

bool list_folder(const std::string& path, std::vector<FolderEntry>& entries) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), &::closedir);
  if (folder == nullptr) return false;
  entries.clear();
  while (const dirent* const entry = ::readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    struct stat found = {};
    const bool is_known =
        ::fstatat(::dirfd(folder.get()), entry->d_name, &found, AT_SYMLINK_NOFOLLOW) == 0;
    entries.push_back({std::string(name), is_known ? info_of(found).kind : FileKind::kOther});
  }
  return true;
}

void remove_all(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

int open_folder(const std::string& path) {
  return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

bool look_in(int folder, const std::string& name, FileInfo& info) {
  struct stat found = {};
  if (::fstatat(folder, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) return false;
  info = info_of(found);
  return true;
}

bool read_link_in(int folder, const std::string& name, std::string& target) {
  char text[NAME_MAX + 1];  // a longer target leads to another folder
  const auto size = ::readlinkat(folder, name.c_str(), text, sizeof text);
  if (size < 0) return false;
  target.assign(text, static_cast<std::size_t>(size));
  return true;
}

int open_in(int folder, const std::string& name) {
  return ::openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
}

}  // namespace numpact::internal::platform
