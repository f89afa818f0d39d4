// SPDX-License-Identifier: Apache-2.0
#include "platform/processes.hpp"

#include <pthread.h>
#include <unistd.h>

namespace numpact::internal::platform {

std::int64_t current_process() noexcept { return ::getpid(); }

bool can_fork() noexcept { return true; }

void at_fork(void (*before)(), void (*in_parent)(), void (*in_child)()) {
  ::pthread_atfork(before, in_parent, in_child);
}

}  // namespace numpact::internal::platform
