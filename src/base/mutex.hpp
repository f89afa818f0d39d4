// SPDX-License-Identifier: Apache-2.0
// A mutex that needs no threads of the standard library, which a build without exceptions may not
// have.
#pragma once

#ifndef NUMPACT_NO_EXCEPTIONS

#include <mutex>

namespace numpact::internal {

using Mutex = std::mutex;
using Lock = std::lock_guard<std::mutex>;

}  // namespace numpact::internal

#else

#include <atomic>

namespace numpact::internal {

// Held for short times, hardly ever by two threads at once: it waits by trying again.
class Mutex {
 public:
  constexpr Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() noexcept {
    while (flag_.test_and_set(std::memory_order_acquire)) {
    }
  }
  void unlock() noexcept { flag_.clear(std::memory_order_release); }

 private:
  std::atomic_flag flag_;
};

class [[nodiscard]] Lock {
 public:
  explicit Lock(Mutex& mutex) noexcept : mutex_(mutex) { mutex_.lock(); }
  ~Lock() { mutex_.unlock(); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace numpact::internal

#endif
