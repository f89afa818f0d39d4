// SPDX-License-Identifier: Apache-2.0
// The commands `numpact cvc ...`, each in a file of its own.
#ifndef NUMPACT_CLI_CVC_COMMANDS_HPP
#define NUMPACT_CLI_CVC_COMMANDS_HPP

#include <functional>
#include <vector>

#include "failure.hpp"

namespace CLI {
class App;
}

namespace numpact::cli {

// What to run if `app` is what the user has chosen.
struct CvcCommand {
  const CLI::App* app = nullptr;
  std::function<ExitCode()> run;
};

// Adds the group and all of its commands.
std::vector<CvcCommand> add_cvc_commands(CLI::App& app);

CvcCommand add_cvc_info(CLI::App& group);
CvcCommand add_cvc_pack(CLI::App& group);
CvcCommand add_cvc_unpack(CLI::App& group);
CvcCommand add_cvc_verify(CLI::App& group);
CvcCommand add_cvc_slice(CLI::App& group);
CvcCommand add_cvc_concat(CLI::App& group);
CvcCommand add_cvc_upgrade(CLI::App& group);
CvcCommand add_cvc_quality(CLI::App& group);

}  // namespace numpact::cli

#endif
