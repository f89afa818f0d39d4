// SPDX-License-Identifier: Apache-2.0
#include "platform/paths.hpp"

#include <cerrno>
#include <filesystem>
#include <vector>

#include "platform/windows/system.hpp"

namespace numpact::internal::platform {
namespace {

// Maximum links followed, as on POSIX systems.
constexpr int kMaxLinks = 40;
// Folders of this length and more need the form for long paths: MAX_PATH less the 12 characters of
// a file's name of old.
constexpr std::size_t kMaxPlainChars = 248;

bool is_separator(char c) { return c == '/' || c == '\\'; }

std::filesystem::path parsed(const std::string& path) {
  return std::filesystem::path(to_wide(path));
}

}  // namespace

std::wstring to_wide(std::string_view text) {
  const int bytes = static_cast<int>(text.size());
  const int size = ::MultiByteToWideChar(CP_UTF8, 0, text.data(), bytes, nullptr, 0);
  std::wstring wide(static_cast<std::size_t>(size), L'\0');
  ::MultiByteToWideChar(CP_UTF8, 0, text.data(), bytes, wide.data(), size);
  return wide;
}

std::string to_utf8(std::wstring_view text) {
  const int chars = static_cast<int>(text.size());
  const int size =
      ::WideCharToMultiByte(CP_UTF8, 0, text.data(), chars, nullptr, 0, nullptr, nullptr);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  ::WideCharToMultiByte(CP_UTF8, 0, text.data(), chars, bytes.data(), size, nullptr, nullptr);
  return bytes;
}

std::wstring system_path(const std::string& path) {
  std::wstring wide = to_wide(path.c_str());  // up to a zero byte, as on other systems
  if (wide.starts_with(L"\\\\?\\") || wide.starts_with(L"\\\\.\\")) return wide;
  // With the working folder, if it is relative.
  if (wide.size() + ::GetCurrentDirectoryW(0, nullptr) < kMaxPlainChars) return wide;
  const std::wstring full = text_of([&](wchar_t* out, DWORD size) {
    return ::GetFullPathNameW(wide.c_str(), size, out, nullptr);
  });
  if (full.size() < kMaxPlainChars || full.starts_with(L"\\\\?\\") ||
      full.starts_with(L"\\\\.\\")) {
    return full.empty() ? wide : full;
  }
  if (full.starts_with(L"\\\\")) return L"\\\\?\\UNC" + full.substr(1);
  return L"\\\\?\\" + full;
}

std::wstring plain_path(std::wstring_view path) {
  if (path.starts_with(L"\\\\?\\UNC\\")) return L"\\" + std::wstring(path.substr(7));
  if (path.starts_with(L"\\\\?\\")) path.remove_prefix(4);
  return std::wstring(path);
}

std::size_t name_start(std::string_view path) {
  std::size_t start = path.size();
  while (start > 0 && !is_separator(path[start - 1]) && !(start == 2 && path[1] == ':')) --start;
  return start;
}

std::string folder_part(const std::string& path) {
  return to_utf8(parsed(path).parent_path().native());
}

std::string name_part(const std::string& path) { return to_utf8(parsed(path).filename().native()); }

std::string stem_part(const std::string& path) { return to_utf8(parsed(path).stem().native()); }

std::string extension_part(const std::string& path) {
  return to_utf8(parsed(path).extension().native());
}

std::string without_end_separators(std::string path) {
  while (path.size() > 1 && is_separator(path.back()) && !(path.size() == 3 && path[1] == ':')) {
    path.pop_back();
  }
  return path;
}

bool follow_links(const std::string& path, std::string& target) {
  std::string at = path;
  for (int links = 0; links < kMaxLinks; ++links) {
    const std::wstring wide = system_path(at);
    if (const OwnHandle whole(open_existing(wide, 0, 0)); whole) {
      const std::wstring found = text_of([&](wchar_t* out, DWORD size) {
        return ::GetFinalPathNameByHandleW(whole.get(), out, size, VOLUME_NAME_DOS);
      });
      target = found.empty() ? at : to_utf8(plain_path(found));
      return true;
    }
    if (::GetLastError() == ERROR_CANT_RESOLVE_FILENAME) break;
    const OwnHandle link(open_existing(wide, 0, FILE_FLAG_OPEN_REPARSE_POINT));
    std::wstring next;
    if (!link || !read_link(link.get(), next)) {
      target = at;
      return true;
    }
    at = to_utf8((parsed(at).parent_path() / next).native());
  }
  errno = ELOOP;
  return false;
}

}  // namespace numpact::internal::platform
