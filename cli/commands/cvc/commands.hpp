// SPDX-License-Identifier: Apache-2.0
// The commands `numpact cvc ...`. Each one has a file of its own.
#pragma once

#include <vector>

#include "commands/command.hpp"

namespace numpact::cli {

// Adds the group and all of its commands.
std::vector<Command> add_cvc_commands(CLI::App& app);

Command add_cvc_info(CLI::App& group);
Command add_cvc_pack(CLI::App& group);
Command add_cvc_append(CLI::App& group);
Command add_cvc_unpack(CLI::App& group);
Command add_cvc_verify(CLI::App& group);
Command add_cvc_slice(CLI::App& group);
Command add_cvc_concat(CLI::App& group);
Command add_cvc_upgrade(CLI::App& group);
Command add_cvc_quality(CLI::App& group);

}  // namespace numpact::cli
