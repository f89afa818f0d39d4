// SPDX-License-Identifier: Apache-2.0
// A subcommand of the program.
#ifndef NUMPACT_CLI_COMMANDS_COMMAND_HPP
#define NUMPACT_CLI_COMMANDS_COMMAND_HPP

#include <functional>

#include "failure.hpp"

namespace CLI {
class App;
}

namespace numpact::cli {

// A subcommand, and the function to call if the user selected it.
struct Command {
  const CLI::App* app = nullptr;
  std::function<ExitCode()> run;
};

}  // namespace numpact::cli

#endif
