// SPDX-License-Identifier: Apache-2.0
// Which process made an object: after fork() the child has a copy of it, but not its threads, and
// shares its files.
#ifndef NUMPACT_API_PROCESS_HPP
#define NUMPACT_API_PROCESS_HPP

#include <unistd.h>

namespace numpact {

// The process that made it.
class OwnProcess {
 public:
  bool is_this() const noexcept { return process_ == ::getpid(); }

 private:
  pid_t process_ = ::getpid();
};

}  // namespace numpact

#endif
