// SPDX-License-Identifier: Apache-2.0
#include "platform/locks.hpp"

#include <cerrno>
#include <cstddef>

#include "platform/files.hpp"
#include "platform/paths.hpp"
#include "platform/windows/system.hpp"

namespace numpact::internal::platform {
namespace {

// Locks of this system keep others from reading and writing what is locked. So one byte is locked
// that no file has.
OVERLAPPED locked_place() {
  OVERLAPPED place = {};
  place.Offset = 0xFFFF0000;
  place.OffsetHigh = 0x7FFFFFFF;
  return place;
}

// A file that was closed keeps its name while a program that looks at every new file has it open.
constexpr int kLockAttempts = 10;
constexpr DWORD kLockPauseMilliseconds = 20;

// No program opens the file while another has it.
HANDLE open_alone(const std::wstring& path) {
  return ::CreateFileW(path.c_str(), GENERIC_WRITE, 0, nullptr, OPEN_ALWAYS,
                       FILE_ATTRIBUTE_HIDDEN | FILE_FLAG_DELETE_ON_CLOSE, nullptr);
}

}  // namespace

int try_lock(int descriptor) {
  HANDLE const handle = handle_of(descriptor);
  if (handle == INVALID_HANDLE_VALUE) return EBADF;
  OVERLAPPED place = locked_place();
  if (::LockFileEx(handle, LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &place)) {
    return 0;
  }
  const DWORD error = ::GetLastError();
  if (error == ERROR_LOCK_VIOLATION || error == ERROR_IO_PENDING) return EWOULDBLOCK;
  return error == ERROR_ACCESS_DENIED ? EBADF : error_number_of(error);
}

void unlock(int descriptor) {
  HANDLE const handle = handle_of(descriptor);
  OVERLAPPED place = locked_place();
  if (handle != INVALID_HANDLE_VALUE) ::UnlockFileEx(handle, 0, 1, 0, &place);
}

int FolderTurn::take(const std::string& folder) {
  release();
  const std::size_t name = name_start(folder);
  const std::wstring path =
      system_path(folder.substr(0, name) + "." + folder.substr(name) + ".numpact-lock");
  HANDLE handle = open_alone(path);
  for (int attempt = 1; handle == INVALID_HANDLE_VALUE && attempt < kLockAttempts; ++attempt) {
    if (::GetLastError() != ERROR_ACCESS_DENIED) break;
    ::Sleep(kLockPauseMilliseconds);
    handle = open_alone(path);
  }
  if (handle == INVALID_HANDLE_VALUE) {
    const DWORD error = ::GetLastError();
    return error == ERROR_SHARING_VIOLATION ? EWOULDBLOCK : error_number_of(error);
  }
  file_ = descriptor_of(handle, Access::kWrite);
  return file_ >= 0 ? 0 : errno;
}

void FolderTurn::release() noexcept {
  if (file_ >= 0) close_file(file_);
  file_ = -1;
}

}  // namespace numpact::internal::platform
