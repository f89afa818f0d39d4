// SPDX-License-Identifier: Apache-2.0
#include "platform/paths.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>

namespace numpact::internal::platform {
namespace {

// Maximum links followed, as in Linux.
constexpr int kMaxLinks = 40;

}  // namespace

std::size_t name_start(std::string_view path) {
  return path.rfind('/') + 1;  // 0 if there is none
}

std::string folder_part(const std::string& path) {
  return std::filesystem::path(path).parent_path().string();
}

std::string name_part(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::string stem_part(const std::string& path) {
  return std::filesystem::path(path).stem().string();
}

std::string extension_part(const std::string& path) {
  return std::filesystem::path(path).extension().string();
}

std::string without_end_separators(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

bool follow_links(const std::string& path, std::string& target) {
  namespace fs = std::filesystem;
  const std::unique_ptr<char, void (*)(void*)> whole(::realpath(path.c_str(), nullptr), &std::free);
  if (whole != nullptr) {
    target = whole.get();
    return true;
  }
  if (errno == ELOOP) return false;
  fs::path at = path;
  std::error_code error;
  for (int links = 0; links < kMaxLinks; ++links) {
    const fs::path next = fs::read_symlink(at, error);
    if (error) {
      target = at.string();
      return true;
    }
    at = at.parent_path() / next;
  }
  errno = ELOOP;
  return false;
}

}  // namespace numpact::internal::platform
