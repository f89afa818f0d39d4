// SPDX-License-Identifier: Apache-2.0
// The GIL, let go of and taken while threads may still work at the interpreter's end.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <thread>

namespace numpact::python {

// Up to 3.13 Python ends daemon threads that ask for the GIL after its end has begun, by
// pthread_exit(). That unwinds the stack, and C++ aborts the process where it meets a noexcept
// function. Later versions let such a thread sleep until the process is gone; so does this.
template <class TakeGil>
void take_gil_or_sleep(TakeGil&& take) noexcept {
  try {
    take();
  } catch (...) {  // nothing but that; must not end
    while (true) std::this_thread::sleep_for(std::chrono::hours(1));
  }
}

// Lets go of the GIL for as long as it lives.
class GilRelease {
 public:
  GilRelease() : state_(PyEval_SaveThread()) {}
  ~GilRelease() {
    take_gil_or_sleep([this] { PyEval_RestoreThread(state_); });
  }
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

 private:
  PyThreadState* state_;
};

// Holds the GIL for as long as it lives; on any thread.
class GilAcquire {
 public:
  GilAcquire() {
    is_attached_here_ = attach_between_forks();
    take_gil_or_sleep([this] { state_ = PyGILState_Ensure(); });
  }
  ~GilAcquire() {
    // The thread state that attach_between_forks() made counts one use of its own.
    if (is_attached_here_) PyGILState_Release(PyGILState_LOCKED);
    PyGILState_Release(state_);
  }
  GilAcquire(const GilAcquire&) = delete;
  GilAcquire& operator=(const GilAcquire&) = delete;

  // Called once, with the GIL, when the module is loaded.
  static void prepare_for_fork();

 private:
  static bool attach_between_forks();

  bool is_attached_here_ = false;
  PyGILState_STATE state_{};
};

}  // namespace numpact::python
