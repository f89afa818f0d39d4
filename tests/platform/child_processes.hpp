// SPDX-License-Identifier: Apache-2.0
// Starts other programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace numpact::internal::platform {

// Identifies a started program: on POSIX systems its process id, on Windows a handle.
using Child = std::int64_t;

// Both ends of a new pipe; programs that are started do not inherit them. Returns 0 or an error
// number.
int open_pipe(int& reading, int& writing);

// Starts the program command[0], with these descriptors as its standard input and output and with
// standard error of this program. Returns 0 or an error number.
int start_child(const std::vector<std::string>& command, int input, int output, Child& child);

void kill_child(Child child);
// Waits until it has exited. Its id is not used again before collect_child().
void await_child(Child child);
// Waits as well, and gives the id back. Returns the exit status as a shell would report it.
int collect_child(Child child);

}  // namespace numpact::internal::platform
