// SPDX-License-Identifier: Apache-2.0
#include "commands/decompress_options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "formats/formats.hpp"
#include "options.hpp"

namespace numpact::cli {
namespace {

constexpr const char* kDecompressFooter = R"(
Examples:
  numpact decompress fare.pco                            text, one number a line
  numpact decompress fare.pco -o fare.npy
  numpact decompress fare.pco --to raw | other_program
  numpact decompress trips -o trips_again.parquet        a folder gives the table back
  numpact decompress fare.pco --range 1000000:20         some numbers from the middle
  numpact decompress trips --columns day,fare --where "fare > 99.5 and vendor = 'CMT'"
  numpact decompress from_elsewhere.pco --max-output 2G -o numbers.raw
)";

}  // namespace

void add_decompress_options(CLI::App& command, DecompressOptions& options) {
  add_argument(command, "FILE", options.input, "A .pco file, a folder of compress, or -");
  add_value(command, "-o,--output", "PATH", options.output,
            "Output file; default: standard output");
  add_overwrite_options(command, options.overwrite, options.common);
  add_value(command, "--to", "FORMAT", options.to,
            output_format_names(Purpose::kNumbers) + "; default: by the extension of PATH");
  add_value(command, "--column", "NAME", options.column,
            "One column of a folder, by name or index");
  add_value(command, "--columns", "NAME,...", options.columns,
            "Some columns of a folder, in this order; a name with a comma in double quotes");
  add_value(command, "--where", "FILTER", options.where,
            "Only the rows of a folder for which this is true, as \"fare > 5.5 and day = "
            "2024-01-01\"");
  add_value(command, "--dtype", "TYPE", options.dtype, "The number type the file must hold");
  add_value(command, "--range", "FIRST:COUNT", options.range,
            "Only COUNT numbers from number FIRST on (from 0); the rest is not decoded");
  add_value(command, "--nulls", "WHAT", options.nulls,
            "How to handle nulls of a folder: keep or drop")
      ->capture_default_str();
  command.add_flag("--salvage", options.salvage,
                   "Recover the intact numbers of a damaged file, report the rest (exit code 3)");
  command.add_flag("--verify-trailer", options.verify_trailer,
                   "Verify the trailer before --range uses it; a damaged one is an error");
  command.add_flag("--ignore-trailer", options.ignore_trailer,
                   "Do not compare checksums, for damaged chunks that still decode");
  add_thread_option(command, options.threads, "decode");
  add_limit_options(command, options.limits);
  add_common_options(command, options.common);
  command.footer(kDecompressFooter);
}

void refuse_contradictions(const DecompressOptions& options) {
  if (options.ignore_trailer && options.verify_trailer) {
    fail_usage("--verify-trailer", "contradicts --ignore-trailer");
  }
  if (options.nulls != "keep" && options.nulls != "drop") {
    fail_usage("--nulls", "'{}' is neither keep nor drop", options.nulls);
  }
  if (options.column && !options.columns.empty()) {
    fail_usage("--columns", "cannot be combined with --column");
  }
  if (!options.where) return;
  if (options.salvage) fail_usage("--where", "cannot be combined with --salvage");
  if (options.nulls == "drop") {
    fail_usage("--where",
               "cannot be combined with --nulls drop (use the condition 'NAME is not null')");
  }
}

}  // namespace numpact::cli
