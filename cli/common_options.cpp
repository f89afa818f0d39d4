// SPDX-License-Identifier: Apache-2.0
#include "common_options.hpp"

#include <CLI/CLI.hpp>

#include "usage_error.hpp"

namespace numpact::cli {

void add_limit_options(CLI::App& command, LimitWords& words) {
  command
      .add_option("--max-output", words.max_output,
                  "Stop where the numbers would take more bytes (as 512M, 2G)")
      ->type_name("SIZE");
  command
      .add_option("--max-memory", words.max_memory, "Stop where decoding would need more memory")
      ->type_name("SIZE");
}

void add_thread_option(CLI::App& command, unsigned& threads, const std::string& work) {
  command
      .add_option("-j,--threads", threads, "Threads that " + work + "; 0: one for each processor")
      ->type_name("N")
      ->check(whole_number(0, 1024))
      ->capture_default_str();
}

void add_restart_option(CLI::App& command, std::string& restart) {
  command
      .add_option("--restart", restart,
                  "In the trailer also where to begin every N numbers (256 to 16M, as 64K)")
      ->type_name("N");
}

void add_common_options(CLI::App& command, CommonOptions& options) {
  command.add_flag("-q,--quiet", options.quiet, "Print errors only");
  command.add_flag("--no-progress", options.no_progress, "No progress bar");
}

void add_overwrite_options(CLI::App& command, Overwrite& overwrite, const CommonOptions& common,
                           const std::string& force) {
  command.add_flag("-f,--force", overwrite.is_allowed, force);
  command
      .add_option("--lock-timeout", overwrite.lock_timeout,
                  "Wait so long for others that are writing the file; else without end")
      ->type_name("SECONDS")
      ->check(seconds_from_zero());
  command.parse_complete_callback([&] { overwrite.is_quiet = common.quiet; });
}

}  // namespace numpact::cli
