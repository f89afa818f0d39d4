// SPDX-License-Identifier: Apache-2.0
// The command line program numpact.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cfenv>
#include <cstdint>
#include <exception>
#include <iterator>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/commands.hpp"
#ifndef NUMPACT_NO_CVC
#include "commands/cvc/commands.hpp"
#endif
#include "commands/usage_error.hpp"
#include "failure.hpp"
#include "io/cleanup.hpp"
#include "numpact/error.hpp"
#include "numpact/version.hpp"
#include "platform/program.hpp"
#include "platform/terminal.hpp"

namespace numpact::cli {
namespace {

// Makes malloc and Arrow return freed memory to the system: low memory use matters more here than
// the cost of new allocations. Must be called before any thread exists.
void return_freed_memory() {
  platform::return_freed_memory();
  platform::set_if_unset("ARROW_DEFAULT_MEMORY_POOL", "system");
}

// A table may have thousands of columns, whose files are open at the same time, and shells usually
// allow 1,024 files but let programs raise that.
constexpr std::uint64_t kMaxOpenFiles = 1 << 16;

#define NUMPACT_TEXT_OF(x) #x
#define NUMPACT_TEXT(x) NUMPACT_TEXT_OF(x)
constexpr const char* kVersionLine =
    "numpact " NUMPACT_TEXT(NUMPACT_VERSION_MAJOR) "." NUMPACT_TEXT(
        NUMPACT_VERSION_MINOR) "." NUMPACT_TEXT(NUMPACT_VERSION_PATCH);

// A build without vectors (NUMPACT_CVC) does not mention them.
#ifdef NUMPACT_NO_CVC
#define NUMPACT_VECTORS(text)
#else
#define NUMPACT_VECTORS(text) text
#endif
constexpr const char* kDescription =
    "Lossless compression of numbers in the Pco format" NUMPACT_VECTORS(
        "; vectors in CVC files") ".";
constexpr const char* kFooter = R"(
Examples:
  numpact compress prices.npy                            makes prices.npy.pco
  numpact compress trips.parquet --column fare -o fare.pco
  numpact compress trips.parquet -o trips                one .pco for each column, in a folder
  numpact decompress fare.pco | head                     as text
  numpact decompress prices.npy.pco -o prices_again.npy
  numpact decompress trips -o trips_again.parquet
  generate | numpact compress - --dtype f32 -o out.pco   raw numbers from standard input
  numpact head trips                                     the first rows
  numpact inspect fare.pco
  numpact explain trips.parquet --column fare            explains its compressed size
  numpact verify fare.pco                                structure, checksums, all numbers
  numpact bench trips.parquet
)" NUMPACT_VECTORS(
    R"(  numpact cvc pack embeddings.npy                        vectors, makes embeddings.npy.cvc
)") R"(
Exit codes: 0 done, 1 failure, 2 wrong use, 3 corrupt input, 4 limit hit.
)";

// Refuses empty option values, which come from unset shell variables and would have no effect.
// Column names and lists of null values may be empty.
void refuse_empty_values(CLI::App& app) {
  constexpr std::string_view kMayBeEmpty[] = {"--column", "--skip", "--null-values"};
  for (CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    const bool may_be_empty =
        std::find(std::begin(kMayBeEmpty), std::end(kMayBeEmpty), name) != std::end(kMayBeEmpty);
    if (option->get_items_expected_max() > 0 && !option->get_positional() && !may_be_empty) {
      option->check(not_empty());
    }
  }
  for (CLI::App* command : app.get_subcommands({})) refuse_empty_values(*command);
}

// In the order of the help text.
std::vector<Command> add_commands(CLI::App& app) {
  std::vector<Command> commands = {
      add_compress_command(app), add_decompress_command(app), add_head_command(app),
      add_inspect_command(app),  add_explain_command(app),    add_estimate_command(app),
      add_index_command(app),    add_compact_command(app),    add_verify_command(app),
      add_bench_command(app),    add_cpu_command(app)};
#ifndef NUMPACT_NO_CVC
  for (Command& command : add_cvc_commands(app)) commands.push_back(std::move(command));
#endif
  return commands;
}

int run(const std::vector<std::string>& arguments) {
  CLI::App app(kDescription, "numpact");
  app.footer(kFooter);
  app.allow_windows_style_options(false);  // a word that begins with a slash is a path
  app.set_version_flag("--version", kVersionLine);
  app.require_subcommand(1);
  const std::vector<Command> commands = add_commands(app);
  refuse_empty_values(app);
  std::vector<std::string> words;
  if (!arguments.empty()) words.assign(arguments.begin() + 1, arguments.end());
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    fail_usage("", usage_error(app, words, error));
  }
  const auto is_parsed = [](const Command& command) { return command.app->parsed(); };
  const auto chosen = std::find_if(commands.begin(), commands.end(), is_parsed);
  return static_cast<int>(chosen->run());
}

int guarded_run(const std::vector<std::string>& arguments) {
  try {
    return run(arguments);
  } catch (const OutputClosed&) {
    platform::end_by_broken_pipe();
  } catch (const Failure& failure) {
    print_message(failure.what());
    return static_cast<int>(failure.code());
  } catch (const Error& error) {
    print_message(with_option_names(error.what()));
    return static_cast<int>(exit_code_of(error.kind()));
  } catch (const std::bad_alloc&) {
    print_message("out of memory");
  } catch (const std::exception& error) {
    print_message(error.what());
  }
  return static_cast<int>(ExitCode::kFailure);
}

}  // namespace

int run_program(const std::vector<std::string>& arguments) {
  // A preloaded library that was linked with -ffast-math may have set flush-to-zero.
  std::fesetenv(FE_DFL_ENV);
  return_freed_memory();
  platform::allow_open_files(kMaxOpenFiles);
  platform::use_byte_streams();
  watch_signals();
  use_requested_target();
  return guarded_run(arguments);
}

}  // namespace numpact::cli

int main(int argc, char** argv) {
  return numpact::cli::run_program(numpact::internal::platform::arguments_of(argc, argv));
}
