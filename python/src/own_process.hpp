// SPDX-License-Identifier: Apache-2.0
// What only the process that made it destroys.
#pragma once

#ifndef _WIN32
#include <unistd.h>
#endif

#include <memory>
#include <utility>

namespace numpact::python {

inline long this_process() {
#ifdef _WIN32
  return 0;  // no fork()
#else
  return static_cast<long>(::getpid());
#endif
}

// Another thread may have been inside of the object at the moment of fork(): in the child it is
// half changed, locked for good, and its threads are gone. There its memory is left as it is.
template <class T>
class Owned {
 public:
  Owned() = default;
  explicit Owned(std::unique_ptr<T> object) : object_(std::move(object)) {}
  ~Owned() { reset(); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Owned& operator=(std::unique_ptr<T> object) {
    reset();
    object_ = std::move(object);
    process_ = this_process();
    return *this;
  }

  void reset() {
    if (process_ == this_process()) {
      object_.reset();
    } else {
      (void)object_.release();
    }
  }
  T* operator->() const { return object_.get(); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  std::unique_ptr<T> object_;
  long process_ = this_process();
};

}  // namespace numpact::python
