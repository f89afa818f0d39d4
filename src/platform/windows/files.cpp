// SPDX-License-Identifier: Apache-2.0
#include "platform/files.hpp"

#include <fcntl.h>
#include <io.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <vector>

#include "platform/paths.hpp"
#include "platform/temporary.hpp"
#include "platform/windows/system.hpp"

namespace numpact::internal::platform {
namespace {

// Bytes of a call: the system counts them in 32 bits.
constexpr std::size_t kMaxCallBytes = std::size_t{1} << 30;

// Of FILE_INFO_BY_HANDLE_CLASS.
constexpr int kEndOfFileInfo = 6;
constexpr int kAttributeTagInfo = 9;

constexpr DWORD kTagOfMountPoint = 0xA0000003;
constexpr DWORD kTagOfLink = 0xA000000C;

DWORD access_of(Access access) {
  if (access == Access::kRead) return GENERIC_READ;
  return access == Access::kWrite ? GENERIC_WRITE | FILE_READ_ATTRIBUTES
                                  : GENERIC_READ | GENERIC_WRITE;
}

DWORD call_bytes(std::size_t bytes) { return static_cast<DWORD>(std::min(bytes, kMaxCallBytes)); }

OVERLAPPED place_at(std::uint64_t offset) {
  OVERLAPPED place = {};
  place.Offset = static_cast<DWORD>(offset);
  place.OffsetHigh = static_cast<DWORD>(offset >> 32);
  return place;
}

// Keeps the position of an open file, which the system changes with every call.
class KeptPosition {
 public:
  explicit KeptPosition(HANDLE handle) : handle_(handle) {
    is_known_ = ::SetFilePointerEx(handle, {}, &position_, FILE_CURRENT) != 0;
  }
  ~KeptPosition() {
    const DWORD error = ::GetLastError();
    if (is_known_) ::SetFilePointerEx(handle_, position_, nullptr, FILE_BEGIN);
    ::SetLastError(error);
  }
  KeptPosition(const KeptPosition&) = delete;
  KeptPosition& operator=(const KeptPosition&) = delete;

 private:
  HANDLE handle_;
  LARGE_INTEGER position_ = {};
  bool is_known_;
};

std::int64_t read_from(HANDLE handle, std::span<std::byte> out, OVERLAPPED* place) {
  DWORD got = 0;
  if (::ReadFile(handle, out.data(), call_bytes(out.size()), &got, place) != 0) return got;
  const DWORD error = ::GetLastError();
  if (error == ERROR_HANDLE_EOF || error == ERROR_BROKEN_PIPE) return 0;
  errno = error_number_of(error);
  return -1;
}

std::int64_t write_to(HANDLE handle, std::span<const std::byte> bytes, OVERLAPPED* place) {
  DWORD written = 0;
  if (::WriteFile(handle, bytes.data(), call_bytes(bytes.size()), &written, place) != 0) {
    return written;
  }
  fail_by_last_error();
  return -1;
}

struct TagInfo {
  DWORD attributes;
  DWORD tag;
};

bool is_link(HANDLE handle, DWORD attributes) {
  if ((attributes & FILE_ATTRIBUTE_REPARSE_POINT) == 0) return false;
  TagInfo info = {};
  if (::GetFileInformationByHandleEx(handle,
                                     static_cast<FILE_INFO_BY_HANDLE_CLASS>(kAttributeTagInfo),
                                     &info, sizeof info) == 0) {
    return false;
  }
  return info.tag == kTagOfLink || info.tag == kTagOfMountPoint;
}

// What FSCTL_GET_REPARSE_POINT gives (REPARSE_DATA_BUFFER): offsets and sizes are bytes.
struct LinkHead {
  DWORD tag;
  WORD bytes;
  WORD reserved;
  WORD target_offset;
  WORD target_bytes;
  WORD print_offset;
  WORD print_bytes;
};
constexpr DWORD kGetReparsePoint = 0x000900A8;
constexpr DWORD kMaxReparseBytes = 16 * 1024;

// A replacement needs some microseconds between its two renames. A program that was stopped there
// leaves the old file aside.
constexpr ULONGLONG kMaxReplacementMilliseconds = 500;
constexpr DWORD kReplacementPauseMilliseconds = 2;
// Wine refuses to open a folder that is open to be renamed. Windows refuses a file that a program
// has for itself, maybe for long.
constexpr ULONGLONG kMaxSharingMilliseconds = 50;
// Bounds how often a call is repeated without an old file in sight: a replacement may end between
// the call and looking for it, and another may begin.
constexpr int kMaxUnexplained = 2;

// Whether a replacement has moved the file or folder aside.
bool is_moved_aside(const std::string& path) {
  const std::string_view view = path;
  const std::size_t start = name_start(path);
  const std::wstring pattern =
      to_wide(hidden_prefix(view.substr(0, start), view.substr(start))) + L'*' + kMovedAside;
  WIN32_FIND_DATAW found;
  HANDLE const search = ::FindFirstFileW(pattern.c_str(), &found);
  if (search == INVALID_HANDLE_VALUE) return false;
  ::FindClose(search);
  return true;
}

HANDLE open_present(const std::wstring& path, DWORD access, DWORD flags) {
  ReplacementWait replacement(path);
  while (true) {
    HANDLE const handle =
        ::CreateFileW(path.c_str(), access, kShareAll, nullptr, OPEN_EXISTING, flags, nullptr);
    if (handle != INVALID_HANDLE_VALUE || !replacement.may_end()) return handle;
  }
}

}  // namespace

bool ReplacementWait::may_end() {
  const DWORD error = ::GetLastError();
  const std::string path = without_end_separators(to_utf8(path_));
  bool is_aside = false;
  switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_SHARING_VIOLATION:
      is_aside = is_moved_aside(path);
      break;
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:  // of wine, if a folder goes while its name is looked up
      is_aside = is_moved_aside(path) || is_moved_aside(without_end_separators(folder_part(path)));
      break;
    default:
      return false;
  }
  if (begin_ == 0) begin_ = ::GetTickCount64();
  const ULONGLONG waited = ::GetTickCount64() - begin_;
  bool may_end = false;
  if (is_aside) {
    may_end = waited <= kMaxReplacementMilliseconds;
  } else if (error == ERROR_SHARING_VIOLATION) {
    may_end = waited <= kMaxSharingMilliseconds;
  } else {
    may_end = ++unexplained_ <= kMaxUnexplained;
  }
  if (may_end && (is_aside || error == ERROR_SHARING_VIOLATION))
    ::Sleep(kReplacementPauseMilliseconds);
  ::SetLastError(error);
  return may_end;
}

HANDLE handle_of(int descriptor) {
  if (descriptor < 0) {
    errno = EBADF;
    return INVALID_HANDLE_VALUE;
  }
  return reinterpret_cast<HANDLE>(::_get_osfhandle(descriptor));
}

int descriptor_of(HANDLE handle, Access access) {
  const int flags = _O_BINARY | _O_NOINHERIT | (access == Access::kRead ? _O_RDONLY : _O_RDWR);
  const int descriptor = ::_open_osfhandle(reinterpret_cast<std::intptr_t>(handle), flags);
  if (descriptor >= 0) return descriptor;
  ::CloseHandle(handle);
  errno = EMFILE;
  return -1;
}

HANDLE open_existing(const std::wstring& path, DWORD access, DWORD flags) {
  return open_present(path, access, FILE_FLAG_BACKUP_SEMANTICS | flags);
}

bool look_at_handle(HANDLE handle, FileInfo& info) {
  info = {};
  const DWORD type = ::GetFileType(handle);
  if (type == FILE_TYPE_UNKNOWN && ::GetLastError() != NO_ERROR) return fail_by_last_error();
  if (type != FILE_TYPE_DISK) return true;
  BY_HANDLE_FILE_INFORMATION found = {};
  if (::GetFileInformationByHandle(handle, &found) == 0) return fail_by_last_error();
  info.kind = (found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0 ? FileKind::kFolder
                                                                       : FileKind::kRegular;
  if (is_link(handle, found.dwFileAttributes)) info.kind = FileKind::kLink;
  info.bytes = std::uint64_t{found.nFileSizeHigh} << 32 | found.nFileSizeLow;
  info.device = found.dwVolumeSerialNumber;
  info.inode = std::uint64_t{found.nFileIndexHigh} << 32 | found.nFileIndexLow;
  info.changed =
      static_cast<std::int64_t>(std::uint64_t{found.ftLastWriteTime.dwHighDateTime} << 32 |
                                found.ftLastWriteTime.dwLowDateTime);
  return true;
}

bool read_link(HANDLE link, std::wstring& target) {
  std::vector<char> data(kMaxReparseBytes);
  DWORD got = 0;
  if (::DeviceIoControl(link, kGetReparsePoint, nullptr, 0, data.data(), kMaxReparseBytes, &got,
                        nullptr) == 0) {
    return fail_by_last_error();
  }
  LinkHead head = {};
  errno = EINVAL;
  if (got < sizeof head) return false;
  std::memcpy(&head, data.data(), sizeof head);
  if (head.tag != kTagOfLink && head.tag != kTagOfMountPoint) return false;
  // Links have four bytes of flags before the names.
  const std::size_t names = sizeof head + (head.tag == kTagOfLink ? sizeof(DWORD) : 0);
  const std::size_t begin = names + head.print_offset;
  if (begin + head.print_bytes > got) return false;
  target.resize(head.print_bytes / sizeof(wchar_t));
  std::memcpy(target.data(), data.data() + begin, target.size() * sizeof(wchar_t));
  return true;
}

bool look_at(const std::string& path, FileInfo& info) {
  const OwnHandle handle(open_existing(system_path(path), FILE_READ_ATTRIBUTES, 0));
  return handle ? look_at_handle(handle.get(), info) : fail_by_last_error();
}

bool look_at(int descriptor, FileInfo& info) {
  HANDLE const handle = handle_of(descriptor);
  return handle != INVALID_HANDLE_VALUE && look_at_handle(handle, info);
}

int open_file(const std::string& path, Access access, Opening) {
  // Folders can be opened for reading, so that errors can say what they are.
  const DWORD flags = access == Access::kRead ? FILE_FLAG_BACKUP_SEMANTICS : FILE_ATTRIBUTE_NORMAL;
  HANDLE const handle = open_present(system_path(path), access_of(access), flags);
  if (handle != INVALID_HANDLE_VALUE) return descriptor_of(handle, access);
  fail_by_last_error();
  return -1;
}

int create_file(const std::string& path, Access access, bool) {
  HANDLE const handle =
      ::CreateFileW(system_path(path).c_str(), access_of(access) | READ_CONTROL | WRITE_DAC,
                    kShareAll, nullptr, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (handle != INVALID_HANDLE_VALUE) return descriptor_of(handle, access);
  fail_by_last_error();
  return -1;
}

bool make_folder(const std::string& path, bool) {
  return ::CreateDirectoryW(system_path(path).c_str(), nullptr) != 0 || fail_by_last_error();
}

bool close_file(int descriptor) { return ::_close(descriptor) == 0; }

int duplicate(int descriptor) {
  HANDLE const handle = handle_of(descriptor);
  if (handle == INVALID_HANDLE_VALUE) return -1;
  HANDLE copy = nullptr;
  HANDLE const process = ::GetCurrentProcess();
  if (::DuplicateHandle(process, handle, process, &copy, 0, FALSE, DUPLICATE_SAME_ACCESS) == 0) {
    fail_by_last_error();
    return -1;
  }
  return descriptor_of(copy, Access::kReadWrite);
}

std::int64_t read_some(int descriptor, std::span<std::byte> out) {
  HANDLE const handle = handle_of(descriptor);
  return handle == INVALID_HANDLE_VALUE ? -1 : read_from(handle, out, nullptr);
}

std::int64_t write_some(int descriptor, std::span<const std::byte> bytes) {
  HANDLE const handle = handle_of(descriptor);
  return handle == INVALID_HANDLE_VALUE ? -1 : write_to(handle, bytes, nullptr);
}

std::int64_t read_some_at(int descriptor, std::uint64_t offset, std::span<std::byte> out) {
  HANDLE const handle = handle_of(descriptor);
  if (handle == INVALID_HANDLE_VALUE) return -1;
  const KeptPosition position(handle);
  OVERLAPPED place = place_at(offset);
  return read_from(handle, out, &place);
}

std::int64_t write_some_at(int descriptor, std::uint64_t offset, std::span<const std::byte> bytes) {
  HANDLE const handle = handle_of(descriptor);
  if (handle == INVALID_HANDLE_VALUE) return -1;
  const KeptPosition position(handle);
  OVERLAPPED place = place_at(offset);
  return write_to(handle, bytes, &place);
}

std::int64_t position_of(int descriptor) {
  HANDLE const handle = handle_of(descriptor);
  LARGE_INTEGER position = {};
  if (handle == INVALID_HANDLE_VALUE) return -1;
  if (::SetFilePointerEx(handle, {}, &position, FILE_CURRENT) != 0) return position.QuadPart;
  fail_by_last_error();
  return -1;
}

bool resize_file(int descriptor, std::uint64_t bytes) {
  HANDLE const handle = handle_of(descriptor);
  if (handle == INVALID_HANDLE_VALUE) return false;
  LARGE_INTEGER end = {};
  end.QuadPart = static_cast<std::int64_t>(bytes);
  return ::SetFileInformationByHandle(handle,
                                      static_cast<FILE_INFO_BY_HANDLE_CLASS>(kEndOfFileInfo), &end,
                                      sizeof end) != 0 ||
         fail_by_last_error();
}

bool sync_file(int descriptor) {
  HANDLE const handle = handle_of(descriptor);
  if (handle == INVALID_HANDLE_VALUE) return false;
  return ::FlushFileBuffers(handle) != 0 || fail_by_last_error();
}

bool sync_file(const std::string& path) {
  // Only who may write a file may flush it.
  const OwnHandle handle(open_existing(system_path(path), GENERIC_WRITE, 0));
  if (!handle) return fail_by_last_error();
  return ::FlushFileBuffers(handle.get()) != 0 || fail_by_last_error();
}

void start_writing(const std::string&) {}

bool says_disk_is_full(int error) { return error == ENOSPC; }

bool remove_file(const std::string& path) {
  return ::DeleteFileW(system_path(path).c_str()) != 0 || fail_by_last_error();
}

bool remove_folder(const std::string& path) {
  return ::RemoveDirectoryW(system_path(path).c_str()) != 0 || fail_by_last_error();
}

}  // namespace numpact::internal::platform
