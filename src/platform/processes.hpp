// SPDX-License-Identifier: Apache-2.0
// Identifies the process. After fork() the child has copies of objects but not their threads, and
// shares their files.
#pragma once

#include <cstdint>

namespace numpact::internal::platform {

std::int64_t current_process() noexcept;

// Remembers the process that created it.
class OwnProcess {
 public:
  bool is_this() const noexcept { return process_ == current_process(); }

 private:
  std::int64_t process_ = current_process();
};

bool can_fork() noexcept;

// Calls the functions at each fork(): before it, and after it in the parent and in the child. They
// may be null.
void at_fork(void (*before)(), void (*in_parent)(), void (*in_child)());

}  // namespace numpact::internal::platform
