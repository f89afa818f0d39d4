// SPDX-License-Identifier: Apache-2.0
// For preloading: makes the k-th call that changes a file or folder fail, or raises SIGKILL there.
// Set by NUMPACT_FAILING_CALL=K:ERRNO before the program starts (K from 0; ERRNO 0 kills), or by
// failing_calls_arm() later. The name of the call is appended to the file NUMPACT_FAILED_CALL, if
// set.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

std::atomic<long> calls_left = -1;
std::atomic<int> error_number = 0;
std::atomic<bool> has_failed = false;

template <class F>
F* next(const char* name) {
  return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
}

[[gnu::constructor]] void read_environment() {
  const char* const text = std::getenv("NUMPACT_FAILING_CALL");
  long calls = -1;
  int error = 0;
  if (text != nullptr && std::sscanf(text, "%ld:%d", &calls, &error) == 2) {
    error_number = error;
    calls_left = calls;
  }
}

void report(const char* name) {
  const char* const path = std::getenv("NUMPACT_FAILED_CALL");
  if (path == nullptr) return;
  const int file = next<int(const char*, int, ...)>("open")(path, O_WRONLY | O_CREAT, 0666);
  (void)!next<ssize_t(int, const void*, std::size_t)>("write")(file, name, std::strlen(name));
  next<int(int)>("close")(file);
}

// Whether this call should fail; sets errno.
bool fails(const char* name) {
  const int before = errno;
  if (calls_left < 0 || calls_left-- != 0) return false;
  has_failed = true;
  report(name);
  if (error_number == 0) ::kill(::getpid(), SIGKILL);
  errno = error_number != 0 ? error_number.load() : before;
  return true;
}

bool is_written_file(int descriptor) {
  const int before = errno;
  struct stat found = {};
  const bool result = ::fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode) &&
                      (::fcntl(descriptor, F_GETFL) & O_ACCMODE) != O_RDONLY;
  errno = before;
  return result;
}

}  // namespace

extern "C" {

void failing_calls_arm(long calls, int error) {
  has_failed = false;
  error_number = error;
  calls_left = calls;
}
int failing_calls_failed() { return has_failed ? 1 : 0; }

#define NUMPACT_OPEN(name)                                              \
  int name(const char* path, int flags, ...) {                          \
    va_list list;                                                       \
    va_start(list, flags);                                              \
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(list, int) : 0; \
    va_end(list);                                                       \
    if ((flags & O_CREAT) != 0 && fails(#name)) return -1;              \
    return next<int(const char*, int, ...)>(#name)(path, flags, mode);  \
  }
NUMPACT_OPEN(open)
NUMPACT_OPEN(open64)

// NAME(PARAMETERS) fails if WHEN.
#define NUMPACT_CALL(type, name, when, parameters, ...) \
  type name parameters {                                \
    if ((when) && fails(#name)) return -1;              \
    return next<type parameters>(#name)(__VA_ARGS__);   \
  }
NUMPACT_CALL(ssize_t, write, is_written_file(file), (int file, const void* data, std::size_t bytes),
             file, data, bytes)
NUMPACT_CALL(ssize_t, pwrite, true, (int file, const void* data, std::size_t bytes, off_t at), file,
             data, bytes, at)
NUMPACT_CALL(ssize_t, pwrite64, true, (int file, const void* data, std::size_t bytes, off64_t at),
             file, data, bytes, at)
NUMPACT_CALL(int, fsync, true, (int file), file)
NUMPACT_CALL(int, ftruncate, true, (int file, off_t bytes), file, bytes)
NUMPACT_CALL(int, ftruncate64, true, (int file, off64_t bytes), file, bytes)
NUMPACT_CALL(int, fchmod, true, (int file, mode_t mode), file, mode)
NUMPACT_CALL(int, mkdir, true, (const char* path, mode_t mode), path, mode)
NUMPACT_CALL(int, rename, true, (const char* from, const char* to), from, to)
NUMPACT_CALL(int, renameat2, true,
             (int at, const char* from, int to_at, const char* to, unsigned flags), at, from, to_at,
             to, flags)
NUMPACT_CALL(int, unlink, true, (const char* path), path)
NUMPACT_CALL(int, unlinkat, true, (int at, const char* path, int flags), at, path, flags)

// The descriptor is closed nevertheless.
int close(int file) {
  const bool fail = is_written_file(file) && fails("close");
  const int error = errno;
  const int result = next<int(int)>("close")(file);
  if (!fail) return result;
  errno = error;
  return -1;
}

}  // extern "C"
