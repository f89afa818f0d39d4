// SPDX-License-Identifier: Apache-2.0
// Detects fork(): the child has copies of objects but not their threads, and shares their files.
#pragma once

#include <unistd.h>

namespace numpact {

// Remembers the process that created it.
class OwnProcess {
 public:
  bool is_this() const noexcept { return process_ == ::getpid(); }

 private:
  pid_t process_ = ::getpid();
};

}  // namespace numpact
