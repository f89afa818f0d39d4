// SPDX-License-Identifier: Apache-2.0
#include "platform/locks.hpp"

#include <cerrno>

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

}  // namespace numpact::internal::platform
