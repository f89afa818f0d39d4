// SPDX-License-Identifier: Apache-2.0
// Starts another program and communicates with it through its standard input and output.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "platform/child_processes.hpp"

namespace numpact::cli {

// The child inherits standard error. The destructor kills it and waits for it; a signal that ends
// this program kills it too.
class ChildProcess {
 public:
  // Throws a Failure that names `place` if the program cannot be started. The child inherits
  // `descriptors` as kFirstDescriptor and the numbers after it.
  ChildProcess(const std::vector<std::string>& command, const std::string& place,
               std::span<const int> descriptors = {});
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // After standard input, output and error.
  static constexpr int kFirstDescriptor = 3;

  // Writes all of `bytes`. Returns false if the child has exited.
  bool write(std::span<const std::byte> bytes);
  // Fills `out`. Returns false if the child exited before that.
  bool read(std::span<std::byte> out);
  // Waits for the child to exit. Returns the exit status as a shell would report it.
  int finish();

 private:
  int wait(bool kill_it);

  internal::platform::Child process_ = -1;
  int to_child_ = -1;
  int from_child_ = -1;
};

}  // namespace numpact::cli
