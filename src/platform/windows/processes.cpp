// SPDX-License-Identifier: Apache-2.0
#include "platform/processes.hpp"

#include "platform/windows/system.hpp"

namespace numpact::internal::platform {

std::int64_t current_process() noexcept { return ::GetCurrentProcessId(); }

bool can_fork() noexcept { return false; }

void at_fork(void (*)(), void (*)(), void (*)()) {}

}  // namespace numpact::internal::platform
