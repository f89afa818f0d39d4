// SPDX-License-Identifier: Apache-2.0
// Options that several commands share.
#pragma once

#include <string>

#include "commands/encode_options.hpp"
#include "io/overwrite.hpp"
#include "options.hpp"

namespace numpact::cli {

struct SourceArgs;

struct CommonOptions {
  bool quiet = false;  // no notes and summaries
  bool no_progress = false;
  bool shows_progress() const { return !quiet && !no_progress; }
};

// Options that say how to read a file that is not Pco; all but --flatten.
void add_source_options(CLI::App& command, SourceArgs& args);
void add_level_option(CLI::App& command, EncodeArgs& args);
// Options that say how to encode, the level among them.
void add_encode_options(CLI::App& command, EncodeArgs& args);
void add_limit_options(CLI::App& command, LimitArgs& args);
// `work`: the verb for what the threads do, as "encode".
void add_thread_option(CLI::App& command, unsigned& threads, const std::string& work);
void add_restart_option(CLI::App& command, std::string& restart);
void add_common_options(CLI::App& command, CommonOptions& options);
// Adds -f and --lock-timeout. `common` decides whether waiting for a lock is reported. Both objects
// must outlive the parsing.
void add_overwrite_options(CLI::App& command, Overwrite& overwrite, const CommonOptions& common,
                           const std::string& force = "Overwrite existing files");
// Adds --lock-timeout alone.
void add_lock_option(CLI::App& command, Overwrite& overwrite, const CommonOptions& common);

}  // namespace numpact::cli
