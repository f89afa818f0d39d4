// SPDX-License-Identifier: Apache-2.0
// A subcommand of the program.
#pragma once

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
