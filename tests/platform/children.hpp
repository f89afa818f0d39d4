// SPDX-License-Identifier: Apache-2.0
// Other processes for tests: this program, started with the word "child" and a role.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/internal.hpp"
#include "platform/child_processes.hpp"
#include "platform/files.hpp"

namespace numpact::testing {

// The exit status of a child, if its arguments name a role; called by main().
std::optional<int> play_role(const std::vector<std::string>& arguments);
// The path of this program; set by main().
extern std::string own_program;

// Started with a role and its arguments. Standard input and output are pipes.
class TestChild {
 public:
  explicit TestChild(std::vector<std::string> role);
  ~TestChild();
  TestChild(const TestChild&) = delete;
  TestChild& operator=(const TestChild&) = delete;

  // Waits until the child has written a byte, which it does when it is ready.
  bool wait_until_ready();
  void send(std::string_view bytes);
  // All that the child still writes, after the end of its input.
  std::string rest();
  // Ends its input and waits.
  int finish();
  int kill();

 private:
  void end_input();

  platform::Child child_ = -1;
  int to_child_ = -1;
  int from_child_ = -1;
};

}  // namespace numpact::testing
