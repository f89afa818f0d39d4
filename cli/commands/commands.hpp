// SPDX-License-Identifier: Apache-2.0
// The commands of the program. Each one has a file of its own, which also declares its options.
#pragma once

#include <string>
#include <vector>

#include "commands/command.hpp"

namespace numpact::cli {

// The whole program: runs the command that the arguments name, of which the first is the program.
// Returns the exit code. Must be called once, before any other thread exists.
int run_program(const std::vector<std::string>& arguments);

// Each adds one subcommand with its options. The options live as long as the returned object.
Command add_compress_command(CLI::App& app);
Command add_decompress_command(CLI::App& app);
Command add_head_command(CLI::App& app);
Command add_inspect_command(CLI::App& app);
Command add_explain_command(CLI::App& app);
Command add_estimate_command(CLI::App& app);
Command add_index_command(CLI::App& app);
Command add_compact_command(CLI::App& app);
Command add_verify_command(CLI::App& app);
Command add_bench_command(CLI::App& app);
Command add_cpu_command(CLI::App& app);

// Uses the instruction set that the environment variable NUMPACT_TARGET names. One that is unknown
// or not supported is ignored; the command cpu says so.
void use_requested_target();

}  // namespace numpact::cli
