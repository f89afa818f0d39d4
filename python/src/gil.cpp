// SPDX-License-Identifier: Apache-2.0
#include "gil.hpp"

#include <cstdlib>
#include <mutex>
#include <new>

#include "platform/processes.hpp"

// A thread that Python does not know gets a thread state before it has the GIL. While that is made,
// it holds a lock of the interpreter. Up to Python 3.11 a fork at this moment leaves the lock held
// in the child, which then hangs inside of os.fork() (CPython issue 112275, mended late in 3.9 to
// 3.11). So thread states are made under a lock of our own, and fork() waits for it. It does not
// wait for the GIL, which the forking thread has. Later versions take or renew their lock in time;
// there another lock around it could deadlock.
namespace numpact::python {
namespace {

std::mutex attaching;
PyInterpreterState* interpreter = nullptr;  // null: Python does it well

bool forks_with_locks_held() {
  char* end = nullptr;
  const char* const version = Py_GetVersion();  // "3.11.7 (main, ...)"
  const long major = std::strtol(version, &end, 10);
  const long minor = *end == '.' ? std::strtol(end + 1, nullptr, 10) : 0;
  return major == 3 && minor < 12;
}

}  // namespace

void GilAcquire::prepare_for_fork() {
  if (!internal::platform::can_fork() || !forks_with_locks_held()) return;
  interpreter = PyInterpreterState_Get();
  internal::platform::at_fork([] { attaching.lock(); }, [] { attaching.unlock(); },
                              [] { new (&attaching) std::mutex; });
}

bool GilAcquire::attach_between_forks() {
  if (interpreter == nullptr || PyGILState_GetThisThreadState() != nullptr) return false;
  const std::lock_guard lock(attaching);
  return PyThreadState_New(interpreter) != nullptr;
}

}  // namespace numpact::python
