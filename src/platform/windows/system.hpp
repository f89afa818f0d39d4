// SPDX-License-Identifier: Apache-2.0
// For the files of this folder alone: windows.h with few macros, and what they share.
//
// Paths become UTF-16. One that is longer than old interfaces take gets the form \\?\C:\..., for
// which it is made absolute. Newer constants are written as numbers: not every SDK declares them.
#pragma once

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
// Words of 16-bit times, which would hide names.
#undef near
#undef far

#include <cstdint>
#include <string>
#include <string_view>

#include "platform/files.hpp"

namespace numpact::internal::platform {

// The error number of <cerrno> for one of the system.
int error_number_of(DWORD error);
// Sets errno from GetLastError(); returns false.
bool fail_by_last_error();

// An open handle of the system, closed at the end.
class OwnHandle {
 public:
  explicit OwnHandle(HANDLE handle) : handle_(handle == INVALID_HANDLE_VALUE ? nullptr : handle) {}
  ~OwnHandle() {
    if (handle_ != nullptr) ::CloseHandle(handle_);
  }
  OwnHandle(const OwnHandle&) = delete;
  OwnHandle& operator=(const OwnHandle&) = delete;

  HANDLE get() const { return handle_; }
  explicit operator bool() const { return handle_ != nullptr; }
  HANDLE release() {
    HANDLE const handle = handle_;
    handle_ = nullptr;
    return handle;
  }

 private:
  HANDLE handle_;
};

inline constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

// The handle of a descriptor; INVALID_HANDLE_VALUE with EBADF if there is none.
HANDLE handle_of(int descriptor);
// A descriptor that owns the handle; -1 with errno. The handle is then closed.
int descriptor_of(HANDLE handle, Access access);

// UTF-16 text of UTF-8 and back. What is not valid becomes U+FFFD, which no file has in its name.
std::wstring to_wide(std::string_view text);
std::string to_utf8(std::wstring_view text);
// A path for functions of the system.
std::wstring system_path(const std::string& path);
// Without the form for long paths.
std::wstring plain_path(std::wstring_view path);

// Behind the hidden name of an old file or folder that a replacement has moved aside.
inline constexpr wchar_t kMovedAside[] = L".old";

// Waits for a replacement that has moved the old file or folder aside and not yet put the new one
// there, or has it open to do so. `path` is what cannot be opened: the file or folder itself, or a
// file of the folder.
class ReplacementWait {
 public:
  explicit ReplacementWait(const std::wstring& path) : path_(path) {}
  explicit ReplacementWait(std::wstring&&) = delete;  // it keeps the reference
  // After a call that failed by GetLastError(), which stays: whether to call again. It has waited
  // a little then.
  bool may_end();

 private:
  const std::wstring& path_;
  ULONGLONG begin_ = 0;  // of the first failure
  int unexplained_ = 0;
};

// Opens an existing file or folder. Waits for a replacement of it. `flags`: for CreateFileW besides
// those that allow folders.
HANDLE open_existing(const std::wstring& path, DWORD access, DWORD flags);
bool look_at_handle(HANDLE handle, FileInfo& info);
// The target of an open link.
bool read_link(HANDLE link, std::wstring& target);

// Sets whether an existing file is replaced. Returns 0 or the system's error.
DWORD rename_by_handle(const std::wstring& from, const std::wstring& to, bool replace);

// Calls a function of the system that fills a buffer of `size` characters and returns how many it
// filled or needs.
template <class Function>
std::wstring text_of(const Function& function) {
  std::wstring text(MAX_PATH, L'\0');
  while (true) {
    const DWORD size = function(text.data(), static_cast<DWORD>(text.size()));
    if (size == 0) return {};
    const bool is_whole = size < text.size();
    text.resize(size);
    if (is_whole) return text;
  }
}

}  // namespace numpact::internal::platform
