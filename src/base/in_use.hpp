// SPDX-License-Identifier: Apache-2.0
// Refuses objects that a call is working with to the functions of the caller that it runs:
// progress, sources, sinks, allocators, executors. One thread at a time uses such an object, so
// that a flag suffices.
#pragma once

#include "base/internal.hpp"
#include "numpact/error.hpp"

namespace numpact::internal {

inline Status in_use(const char* what = "the object is in use by this call") {
  return Status(ErrorKind::kInvalidArgument, what);
}

// A call with an object, or null, whose flag is set while it lives.
class InUse {
 public:
  explicit InUse(bool* flag) noexcept : flag_(flag), was_set_(flag != nullptr && *flag) {
    if (flag_ != nullptr) *flag_ = true;
  }
  explicit InUse(bool& flag) noexcept : InUse(&flag) {}
  ~InUse() {
    if (flag_ != nullptr) *flag_ = was_set_;
  }
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;

  // Whether another call has the object.
  bool is_refused() const { return was_set_; }

 private:
  bool* flag_;
  bool was_set_;
};

}  // namespace numpact::internal
