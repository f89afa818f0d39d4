// SPDX-License-Identifier: Apache-2.0
#include "platform/replacement.hpp"

#include <aclapi.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <random>
#include <vector>

#include "platform/paths.hpp"
#include "platform/temporary.hpp"
#include "platform/windows/system.hpp"

namespace numpact::internal::platform {
namespace {

// FileRenameInfo and, from Windows 10 (1709) on, FileRenameInfoEx.
constexpr int kRenameInfo = 3;
constexpr int kRenameInfoEx = 22;
constexpr DWORD kReplaceIfExists = 0x1;
constexpr DWORD kPosixSemantics = 0x2;

// FILE_RENAME_INFO; the flags of the older form are whether to replace.
struct RenameInfo {
  DWORD flags;
  HANDLE folder;
  DWORD name_bytes;
  wchar_t name[1];
};

// Programs that look at every new file (search indexes, virus scanners) may have it open without
// sharing for a moment.
constexpr int kReplaceAttempts = 10;
constexpr DWORD kReplacePauseMilliseconds = 20;

// An old file that is open moves to a hidden name, and is removed when it is closed.
DWORD rename_after_moving(const std::wstring& from, const std::wstring& to) {
  std::random_device random;
  const std::string old = to_utf8(to);
  const std::size_t start = name_start(old);
  const std::string_view whole = old;
  const std::wstring aside =
      to_wide(hidden_name(whole.substr(0, start), whole.substr(start), random())) + kMovedAside;
  if (const DWORD error = rename_by_handle(to, aside, false); error != 0) {
    // Another program has moved it just now: renamed() tries again.
    return error == ERROR_FILE_NOT_FOUND ? ERROR_SHARING_VIOLATION : error;
  }
  const DWORD error = rename_by_handle(from, to, false);
  if (error == 0) {
    ::DeleteFileW(aside.c_str());
  } else {
    rename_by_handle(aside, to, false);
  }
  return error;
}

bool is_access_error(DWORD error) {
  return error == ERROR_ACCESS_DENIED || error == ERROR_SHARING_VIOLATION ||
         error == ERROR_USER_MAPPED_FILE;
}

enum class Kind { kFile, kFolder };

// Until nobody has the file open without sharing, or a file of the folder open.
template <class Rename>
bool renamed(Kind kind, const Rename& rename) {
  const auto may_pass = [&](DWORD error) {
    return error == ERROR_SHARING_VIOLATION ||
           (kind == Kind::kFolder && error == ERROR_ACCESS_DENIED);
  };
  DWORD error = rename();
  for (int attempt = 1; may_pass(error) && attempt < kReplaceAttempts; ++attempt) {
    ::Sleep(kReplacePauseMilliseconds);
    error = rename();
  }
  errno = error_number_of(error);
  return error == 0;
}

// The access control list of an open file or folder; null if it cannot be read.
class AccessList {
 public:
  explicit AccessList(HANDLE handle) {
    if (::GetSecurityInfo(handle, SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, nullptr, nullptr,
                          &list_, nullptr, &descriptor_) != ERROR_SUCCESS) {
      descriptor_ = nullptr;
    }
  }
  ~AccessList() {
    if (descriptor_ != nullptr) ::LocalFree(descriptor_);
  }
  AccessList(const AccessList&) = delete;
  AccessList& operator=(const AccessList&) = delete;

  bool is_known() const { return descriptor_ != nullptr; }
  // Whether the folder's list does not add to it.
  bool is_protected() const {
    SECURITY_DESCRIPTOR_CONTROL control = 0;
    DWORD revision = 0;
    return ::GetSecurityDescriptorControl(descriptor_, &control, &revision) != 0 &&
           (control & SE_DACL_PROTECTED) != 0;
  }
  PACL get() const { return list_; }

 private:
  PACL list_ = nullptr;
  PSECURITY_DESCRIPTOR descriptor_ = nullptr;
};

}  // namespace

DWORD rename_by_handle(const std::wstring& from, const std::wstring& to, bool replace) {
  // Does not wait for a replacement: callers do so.
  const OwnHandle file(
      ::CreateFileW(from.c_str(), DELETE | SYNCHRONIZE, kShareAll, nullptr, OPEN_EXISTING,
                    FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
  if (!file) return ::GetLastError();
  // The system does not look for the working folder here.
  const std::wstring full = system_path(to_utf8(to));
  std::wstring target(32768, L'\0');  // the longest path that the system takes
  const DWORD size =
      ::GetFullPathNameW(full.c_str(), static_cast<DWORD>(target.size()), target.data(), nullptr);
  if (size == 0) return ::GetLastError();
  target.resize(size);
  std::vector<std::byte> data(offsetof(RenameInfo, name) + (target.size() + 1) * sizeof(wchar_t));
  auto* const info = reinterpret_cast<RenameInfo*>(data.data());
  info->folder = nullptr;
  info->name_bytes = static_cast<DWORD>(target.size() * sizeof(wchar_t));
  std::memcpy(data.data() + offsetof(RenameInfo, name), target.data(), info->name_bytes);
  const auto rename = [&](int kind, DWORD flags) {
    info->flags = flags;
    return ::SetFileInformationByHandle(file.get(), static_cast<FILE_INFO_BY_HANDLE_CLASS>(kind),
                                        info, static_cast<DWORD>(data.size())) != 0
               ? 0
               : ::GetLastError();
  };
  if (!replace) return rename(kRenameInfo, 0);
  const DWORD error = rename(kRenameInfoEx, kReplaceIfExists | kPosixSemantics);
  return error == 0 ? 0 : rename(kRenameInfo, kReplaceIfExists);
}

bool rename_over(const std::string& from, const std::string& to) {
  const std::wstring wide_from = system_path(from);
  const std::wstring wide_to = system_path(to);
  return renamed(Kind::kFile, [&]() -> DWORD {
    const DWORD error = rename_by_handle(wide_from, wide_to, true);
    if (!is_access_error(error)) return error;
    const DWORD attributes = ::GetFileAttributesW(wide_to.c_str());
    // A folder, and a file that nobody should write, stay.
    const DWORD kept = FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_READONLY;
    if (attributes == INVALID_FILE_ATTRIBUTES || (attributes & kept) != 0) return error;
    return rename_after_moving(wide_from, wide_to);
  });
}

bool rename_to_free_name(const std::string& from, const std::string& to) {
  const std::wstring wide_from = system_path(from);
  const std::wstring wide_to = system_path(to);
  const DWORD attributes = ::GetFileAttributesW(wide_from.c_str());
  const bool is_folder =
      attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  return renamed(is_folder ? Kind::kFolder : Kind::kFile,
                 [&] { return rename_by_handle(wide_from, wide_to, false); });
}

bool open_folders_move() noexcept { return false; }

bool exchange_folders(const std::string& from, const std::string& to, const std::string& spare,
                      std::string& old) {
  old = spare + to_utf8(kMovedAside);
  const std::wstring wide_from = system_path(from);
  const std::wstring wide_to = system_path(to);
  const std::wstring aside = system_path(old);
  // Readers wait while the old folder is aside, so that it returns before each pause.
  return renamed(Kind::kFolder, [&]() -> DWORD {
    DWORD error = rename_by_handle(wide_to, aside, false);
    if (error != 0) return error;
    error = rename_by_handle(wide_from, wide_to, false);
    if (error != 0) (void)rename_by_handle(aside, wide_to, false);
    return error;
  });
}

bool remove_old_folder(std::string& old) {
  const std::wstring aside = system_path(old);
  for (int attempt = 1; attempt <= kReplaceAttempts; ++attempt) {
    if (::RemoveDirectoryW(aside.c_str()) != 0) return true;
    const DWORD error = ::GetLastError();
    if (error != ERROR_DIR_NOT_EMPTY && error != ERROR_SHARING_VIOLATION) break;
    ::Sleep(kReplacePauseMilliseconds);
  }
  // It is not aside any more: those who look for `to` would wait if that were removed.
  const std::string stays = old.substr(0, old.size() - to_utf8(kMovedAside).size());
  if (rename_by_handle(aside, system_path(stays), false) == 0) old = stays;
  return false;
}

// The journal of the file system has them in order.
void sync_folder(const std::string&) {}

AccessTaking take_access(int descriptor, const std::string& path) {
  const OwnHandle old(open_existing(system_path(path), READ_CONTROL, 0));
  if (!old && ::GetLastError() != ERROR_ACCESS_DENIED) return AccessTaking::kDone;
  FileInfo now;
  if (!look_at(descriptor, now)) return AccessTaking::kNotSeen;
  if (old) {
    const AccessList list(old.get());
    const SECURITY_INFORMATION inherits = list.is_known() && list.is_protected()
                                              ? PROTECTED_DACL_SECURITY_INFORMATION
                                              : UNPROTECTED_DACL_SECURITY_INFORMATION;
    const DWORD error = list.is_known() ? ::SetSecurityInfo(handle_of(descriptor), SE_FILE_OBJECT,
                                                            DACL_SECURITY_INFORMATION | inherits,
                                                            nullptr, nullptr, list.get(), nullptr)
                                        : ERROR_ACCESS_DENIED;
    errno = error_number_of(error);
    if (error == ERROR_SUCCESS) return AccessTaking::kDone;
  } else {
    errno = EACCES;
  }
  return AccessTaking::kNotKept;
}

int open_to_take_access(const std::string& path) {
  HANDLE const handle =
      open_existing(system_path(path), GENERIC_READ | WRITE_DAC, FILE_FLAG_OPEN_REPARSE_POINT);
  if (handle != INVALID_HANDLE_VALUE) return descriptor_of(handle, Access::kRead);
  fail_by_last_error();
  return -1;
}

}  // namespace numpact::internal::platform
