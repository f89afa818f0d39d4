// SPDX-License-Identifier: Apache-2.0
// An object that only the process that made it destroys.
#pragma once

#include <memory>
#include <utility>

#include "platform/processes.hpp"

namespace numpact::python {

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
    process_ = {};
    return *this;
  }

  void reset() {
    if (process_.is_this()) {
      object_.reset();
    } else {
      (void)object_.release();
    }
  }
  T* operator->() const { return object_.get(); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  std::unique_ptr<T> object_;
  internal::platform::OwnProcess process_;
};

}  // namespace numpact::python
