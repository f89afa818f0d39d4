// SPDX-License-Identifier: Apache-2.0
// Exclusive locks of files. They are advisory: only programs that request the
// lock are affected.
#pragma once

namespace numpact::internal::platform {

// Takes the lock for the open file, without waiting. Returns 0, EWOULDBLOCK if it is held through
// another open file, EBADF if the file must be open for writing, or another error if the file
// system has no locks. The lock ends with the last descriptor of the open file.
int try_lock(int descriptor);
void unlock(int descriptor);

}  // namespace numpact::internal::platform
