// SPDX-License-Identifier: Apache-2.0
#include "platform/folders.hpp"

#include <cerrno>
#include <cstdint>

#include "platform/windows/system.hpp"

// After windows.h.
#include <winternl.h>

namespace numpact::internal::platform {
namespace {

// Of NtOpenFile.
constexpr ULONG kSynchronous = 0x20;
constexpr ULONG kOpenLinkItself = 0x00200000;

// Opens an entry of an open folder, not what it may link to. INVALID_HANDLE_VALUE with errno.
HANDLE open_entry(int folder, const std::string& name, ACCESS_MASK access) {
  HANDLE const root = handle_of(folder);
  if (root == INVALID_HANDLE_VALUE) return root;
  std::wstring wide = to_wide(name);
  UNICODE_STRING text = {};
  text.Buffer = wide.data();
  text.Length = static_cast<USHORT>(wide.size() * sizeof(wchar_t));
  text.MaximumLength = text.Length;
  OBJECT_ATTRIBUTES attributes = {};
  attributes.Length = sizeof attributes;
  attributes.RootDirectory = root;
  attributes.ObjectName = &text;
  attributes.Attributes = OBJ_CASE_INSENSITIVE;
  IO_STATUS_BLOCK status = {};
  HANDLE handle = INVALID_HANDLE_VALUE;
  const NTSTATUS result = ::NtOpenFile(&handle, access | SYNCHRONIZE, &attributes, &status,
                                       kShareAll, kSynchronous | kOpenLinkItself);
  if (result >= 0) return handle;
  errno = error_number_of(::RtlNtStatusToDosError(result));
  return INVALID_HANDLE_VALUE;
}

FileKind kind_of(const WIN32_FIND_DATAW& entry) {
  // For links dwReserved0 is the tag, of which these two kinds have this bit.
  constexpr DWORD kIsNameSurrogate = 0x20000000;
  if ((entry.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 &&
      (entry.dwReserved0 & kIsNameSurrogate) != 0) {
    return FileKind::kLink;
  }
  return (entry.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0 ? FileKind::kFolder
                                                                  : FileKind::kRegular;
}

}  // namespace

bool list_folder(const std::string& path, std::vector<FolderEntry>& entries) {
  entries.clear();
  WIN32_FIND_DATAW entry = {};
  const std::wstring pattern = system_path(path + "\\*");
  const std::wstring folder = system_path(path);
  ReplacementWait replacement(folder);
  HANDLE search = INVALID_HANDLE_VALUE;
  do {
    search = ::FindFirstFileW(pattern.c_str(), &entry);
  } while (search == INVALID_HANDLE_VALUE && replacement.may_end());
  if (search == INVALID_HANDLE_VALUE) return fail_by_last_error();
  do {
    const std::string name = to_utf8(entry.cFileName);
    if (name != "." && name != "..") entries.push_back({name, kind_of(entry)});
  } while (::FindNextFileW(search, &entry) != 0);
  const DWORD error = ::GetLastError();
  ::FindClose(search);
  errno = error_number_of(error);
  return error == ERROR_NO_MORE_FILES;
}

void remove_all(const std::string& path) {
  const DWORD attributes = ::GetFileAttributesW(system_path(path).c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES) return;
  if ((attributes & FILE_ATTRIBUTE_DIRECTORY) == 0) {
    (void)remove_file(path);
    return;
  }
  if (std::vector<FolderEntry> entries;
      (attributes & FILE_ATTRIBUTE_REPARSE_POINT) == 0 && list_folder(path, entries)) {
    for (const FolderEntry& entry : entries) remove_all(path + "\\" + entry.name);
  }
  (void)remove_folder(path);
}

int open_folder(const std::string& path) {
  OwnHandle handle(open_existing(system_path(path), GENERIC_READ, 0));
  FileInfo found;
  if (!handle) {
    fail_by_last_error();
    return -1;
  }
  if (!look_at_handle(handle.get(), found)) return -1;
  if (!found.is_folder()) {
    errno = ENOTDIR;
    return -1;
  }
  return descriptor_of(handle.release(), Access::kRead);
}

bool look_in(int folder, const std::string& name, FileInfo& info) {
  const OwnHandle handle(open_entry(folder, name, FILE_READ_ATTRIBUTES));
  return handle && look_at_handle(handle.get(), info);
}

bool read_link_in(int folder, const std::string& name, std::string& target) {
  const OwnHandle handle(open_entry(folder, name, FILE_READ_ATTRIBUTES));
  std::wstring wide;
  if (!handle || !read_link(handle.get(), wide)) return false;
  target = to_utf8(wide);
  return true;
}

int open_in(int folder, const std::string& name) {
  HANDLE const handle = open_entry(folder, name, FILE_GENERIC_READ);
  return handle == INVALID_HANDLE_VALUE ? -1 : descriptor_of(handle, Access::kRead);
}

}  // namespace numpact::internal::platform
