// SPDX-License-Identifier: Apache-2.0
// Process-wide settings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace numpact::internal::platform {

// The arguments of main() in UTF-8, the name of the program first.
std::vector<std::string> arguments_of(int argc, char** argv);

// Makes malloc return large freed blocks to the system at once. Must be called before any thread
// exists.
void return_freed_memory();

// Sets a variable of the environment unless it is set. Must be called before any thread exists.
void set_if_unset(const char* variable, const char* value);

// Lets the program have `requested` files open, or as many as the system allows. Returns how many
// it allows at most; 0 if that is unknown.
std::uint64_t allow_open_files(std::uint64_t requested);

// From now on, what ends the program from outside (SIGINT, SIGTERM and SIGHUP, on Windows Ctrl-C,
// Ctrl-Break and the closing of the terminal) first calls `clean` on a thread of its own; it does
// not return to the program. Signals that are ignored stay so. A write to a closed pipe or beyond
// the file size limit becomes an error instead of a signal. Must be called before any other thread
// exists.
void clean_before_end(void (*clean)());

// Ends the program as one that does not handle a closed pipe. May return.
void end_by_broken_pipe();

}  // namespace numpact::internal::platform
