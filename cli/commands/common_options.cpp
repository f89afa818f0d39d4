// SPDX-License-Identifier: Apache-2.0
#include "commands/common_options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "commands/source.hpp"
#include "commands/usage_error.hpp"
#include "failure.hpp"
#include "formats/formats.hpp"
#include "numpact/encoding.hpp"
#include "platform/environment.hpp"
#include "text/printable.hpp"

namespace numpact::cli {
namespace {

// "A, B or C": the forms of a request, which the library lists.
std::string form_list(std::span<const char* const> forms) {
  std::string text;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    if (i > 0) text += i + 1 < forms.size() ? ", " : " or ";
    text += forms[i];
  }
  return text;
}

}  // namespace

void add_source_options(CLI::App& command, SourceArgs& args) {
  add_value(command, "--from", "FORMAT", args.from,
            input_format_names(Purpose::kNumbers) + "; default: detected");
  add_value(command, "--column", "NAME", args.column, "One column, by name or index (from 0)");
  add_list(command, "--skip", "NAME", args.skip, "A column to leave out; may be given again");
  add_list(command, "--dtype", "TYPE", args.dtypes,
           "Number type of raw input and of columns of numbers, or NAME=TYPE for one column; "
           "may be given again");
  add_value(command, "--nulls", "WHAT", args.nulls,
            "How to handle nulls: keep (default for a folder), error (default for a file) or drop");
  command.add_flag("--no-header", args.no_header, "The first line of CSV holds values, not names");
  add_value(command, "--delimiter", "CHAR", args.delimiter,
            "The delimiter of CSV fields, or tab; default: detected");
  add_value(command, "--quote", "CHAR", args.quote, "The quote character of CSV, or none");
  add_value(command, "--decimal", "CHAR", args.decimal, "The decimal point of CSV")
      ->capture_default_str();
  add_value(command, "--null-values", "WORDS", args.null_values,
            "Comma-separated CSV texts that mean null, in addition to an empty field");
  add_value(command, "--memory", "SIZE", args.memory,
            "Memory for the columns of CSV; the excess goes to a temporary file (32M)");
}

namespace {

constexpr unsigned kMaxThreads = 1024;  // more do not make a command faster

// NUMPACT_THREADS, which Python (numpact/_threads.py) reads in the same way, or else `otherwise`.
unsigned threads_of_environment(unsigned otherwise) {
  const std::string value = internal::platform::environment_value("NUMPACT_THREADS");
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const std::size_t begin = value.find_first_not_of(kBlanks);
  if (begin == std::string::npos) return otherwise;
  const std::string word = value.substr(begin, value.find_last_not_of(kBlanks) + 1 - begin);
  unsigned count = 0;
  for (const char c : word) {
    if (c < '0' || c > '9') {
      fail_usage("NUMPACT_THREADS", "is '{}', not a number of threads", one_line(word));
    }
    count = std::min(10 * count + static_cast<unsigned>(c - '0'), kMaxThreads);
  }
  return count;
}

}  // namespace

void add_level_option(CLI::App& command, EncodeArgs& args) {
  add_value(command, "--level", "N", args.level,
            "0 (fast) to 12 (small). 4 encodes about twice as fast as 8; 10 to 12 encode "
            "at a tenth of the speed of 8 or less, for about 2 % fewer bytes")
      ->check(whole_number(0, kMaxLevel))
      ->capture_default_str();
}

void add_encode_options(CLI::App& command, EncodeArgs& args) {
  add_level_option(command, args);
  add_value(command, "--mode", "MODE", args.mode, form_list(mode_spec_forms()));
  add_value(command, "--delta", "DELTA", args.delta, form_list(delta_spec_forms()));
  add_value(command, "--page-size", "N", args.page_size,
            "Maximum numbers per chunk; auto: chunks end where the data changes");
  add_value(command, "--compat", "VERSION", args.compat,
            "Oldest format version whose readers must read the file: 1, 2, 3, 4.0 or 4.1");
  command.add_flag("--favor-decode-speed", args.favor_decode_speed,
                   "Of encodings with about the same size, choose one that decodes fast");
  add_value(command, "--decode-weight", "BITS", args.decode_weight,
            "Bits per number that a nanosecond of decoding is worth: 0 to 128")
      ->check(CLI::Range(0.0f, kMaxDecodeWeight));
}

void add_limit_options(CLI::App& command, LimitArgs& args) {
  add_value(command, "--max-output", "SIZE", args.max_output,
            "Fail if the decoded numbers would take more bytes (as 512M, 2G)");
  add_value(command, "--max-memory", "SIZE", args.max_memory,
            "Fail if decoding would need more memory");
}

void add_thread_option(CLI::App& command, unsigned& threads, const std::string& work) {
  CLI::Option* const option = add_value(command, "-j,--threads", "N", threads,
                                        "Threads that " + work + "; 0: one for each processor")
                                  ->check(whole_number(0, kMaxThreads))
                                  ->capture_default_str();
  command.final_callback([option, &threads] {
    if (option->count() == 0) threads = threads_of_environment(threads);
  });
}

void add_restart_option(CLI::App& command, std::string& restart) {
  add_value(command, "--restart", "N", restart,
            "Add restart points to the trailer every N numbers (256 to 16M, as 64K)");
}

void add_common_options(CLI::App& command, CommonOptions& options) {
  command.add_flag("-q,--quiet", options.quiet, "Print errors only");
  command.add_flag("--no-progress", options.no_progress, "No progress bar");
}

void add_overwrite_options(CLI::App& command, Overwrite& overwrite, const CommonOptions& common,
                           const std::string& force) {
  command.add_flag("-f,--force", overwrite.is_allowed, force);
  add_lock_option(command, overwrite, common);
}

void add_lock_option(CLI::App& command, Overwrite& overwrite, const CommonOptions& common) {
  add_value(command, "--lock-timeout", "SECONDS", overwrite.lock_timeout,
            "Maximum time to wait for other writers of the file; default: unlimited")
      ->check(seconds_from_zero());
  command.parse_complete_callback([&] { overwrite.is_quiet = common.quiet; });
}

}  // namespace numpact::cli
