// SPDX-License-Identifier: Apache-2.0
// Options that several commands have.
#ifndef NUMPACT_CLI_COMMON_OPTIONS_HPP
#define NUMPACT_CLI_COMMON_OPTIONS_HPP

#include <string>

#include "commands.hpp"

namespace CLI {
class App;
}

namespace numpact::cli {

void add_limit_options(CLI::App& command, LimitWords& words);
// `work`: what they do, as "encode".
void add_thread_option(CLI::App& command, unsigned& threads, const std::string& work);
void add_restart_option(CLI::App& command, std::string& restart);
void add_common_options(CLI::App& command, CommonOptions& options);
// -f and --lock-timeout; `common` says whether waiting is worth a note.
void add_overwrite_options(CLI::App& command, Overwrite& overwrite, const CommonOptions& common,
                           const std::string& force = "Overwrite what exists");

}  // namespace numpact::cli

#endif
