// SPDX-License-Identifier: Apache-2.0
// A program that this one starts and talks to through its standard input and output.
#ifndef NUMPACT_CLI_CHILD_PROCESS_HPP
#define NUMPACT_CLI_CHILD_PROCESS_HPP

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace numpact::cli {

// Its standard error is this program's. It is killed and waited for when the object goes, and
// killed when a signal ends this program.
class ChildProcess {
 public:
  // Searches PATH for the program. Throws Failure, which names `place`, if it cannot be started.
  ChildProcess(const std::vector<std::string>& command, const std::string& place);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // All of `bytes`; false if the child has gone.
  bool write(std::span<const std::byte> bytes);
  // Fills `room`; false if the child has gone before.
  bool read(std::span<std::byte> room);
  // Lets it come to its end; what a shell would tell as its exit status.
  int finish();

 private:
  int wait(bool kill_it);

  pid_t process_ = -1;
  int to_child_ = -1;
  int from_child_ = -1;
};

}  // namespace numpact::cli

#endif
