// SPDX-License-Identifier: Apache-2.0
// The command line of numpact.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cfenv>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <limits>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "cleanup.hpp"
#include "commands.hpp"
#include "common_options.hpp"
#include "cvc/commands.hpp"
#include "failure.hpp"
#include "numpact/error.hpp"
#include "numpact/version.hpp"
#include "usage_error.hpp"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace numpact::cli {
namespace {

// Memory that is freed goes back to the system: what is held counts more here than what it costs to
// ask again. Before any thread exists.
void hold_little_memory() {
#ifdef __GLIBC__
  ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
  ::setenv("ARROW_DEFAULT_MEMORY_POOL", "system", 0);
}

#define NUMPACT_TEXT_OF(x) #x
#define NUMPACT_TEXT(x) NUMPACT_TEXT_OF(x)
constexpr const char* kVersionLine =
    "numpact " NUMPACT_TEXT(NUMPACT_VERSION_MAJOR) "." NUMPACT_TEXT(
        NUMPACT_VERSION_MINOR) "." NUMPACT_TEXT(NUMPACT_VERSION_PATCH);

constexpr const char* kFooter = R"(
Examples:
  numpact compress prices.npy                            makes prices.npy.pco
  numpact compress trips.parquet --column fare -o fare.pco
  numpact compress trips.parquet -o trips                one .pco for each column, in a folder
  numpact decompress fare.pco | head                     as text
  numpact decompress prices.npy.pco -o prices_again.npy
  numpact decompress trips -o trips_again.parquet
  generate | numpact compress - --dtype f32 -o out.pco   raw numbers from standard input
  numpact inspect fare.pco
  numpact explain trips.parquet --column fare            why it takes the bytes it takes
  numpact verify fare.pco                                structure, checksums, all numbers
  numpact bench trips.parquet
  numpact cvc pack embeddings.npy                        vectors, makes embeddings.npy.cvc

Exit codes: 0 done, 1 failure, 2 wrong use, 3 corrupt input, 4 limit hit.
)";

constexpr const char* kCompressFooter = R"(
Examples:
  numpact compress prices.npy                            makes prices.npy.pco
  numpact compress trips.csv --column fare -o fare.pco
  numpact compress trips.parquet -o trips                every number, date and truth column
  numpact compress ticks.raw --dtype i64 --level 12 --delta consecutive=1
  numpact compress more.npy --append -o prices.npy.pco   adds to an existing file
)";

constexpr const char* kDecompressFooter = R"(
Examples:
  numpact decompress fare.pco                            text, one number a line
  numpact decompress fare.pco -o fare.npy
  numpact decompress fare.pco --to raw | other_program
  numpact decompress trips -o trips_again.parquet        a folder gives the table back
  numpact decompress fare.pco --range 1000000:20         some numbers from the middle
  numpact decompress from_elsewhere.pco --max-output 2G -o numbers.raw
)";

constexpr const char* kExplainFooter = R"(
Examples:
  numpact explain prices.npy                             compressed in memory, nothing is written
  numpact explain trips.parquet --column fare --level 12
  numpact explain trips.parquet --column fare --chunk 0 --plot fare.svg
  numpact explain fare.pco                               an existing file
  numpact explain fare.pco --again                       what would be chosen today
)";

constexpr const char* kIndexFooter = R"(
Examples:
  numpact index old.pco                                  from any writer, replaced in one step
  numpact index prices.pco --restart 64K                 fine random access, threads within chunks
)";

void add_source_options(CLI::App& command, SourceWords& words) {
  command
      .add_option("--from", words.from,
                  "npy, raw, csv, tsv, parquet, arrow or arrows; else told by the file")
      ->type_name("FORMAT");
  command.add_option("--column", words.column, "One column, by name or index (from 0)")
      ->type_name("NAME");
  command.add_option("--skip", words.skip, "A column to leave out; may be given again")
      ->type_name("NAME")
      ->expected(1)
      ->take_all();
  command
      .add_option(
          "--dtype", words.dtypes,
          "Number type of raw input and of columns of numbers, or NAME=TYPE for one column; "
          "may be given again")
      ->type_name("TYPE")
      ->expected(1)
      ->take_all();
  command
      .add_option("--nulls", words.nulls,
                  "What to do with nulls: keep (a folder does), error (a single file does) or drop")
      ->type_name("WHAT");
  command.add_flag("--no-header", words.no_header, "The first line of CSV holds values, not names");
  command
      .add_option("--delimiter", words.delimiter,
                  "What stands between the fields of CSV, or tab; else recognised")
      ->type_name("CHAR");
  command.add_option("--quote", words.quote, "What stands around fields of CSV, or none")
      ->type_name("CHAR");
  command
      .add_option("--decimal", words.decimal, "What stands before the digits of a fraction in CSV")
      ->type_name("CHAR")
      ->capture_default_str();
  command
      .add_option("--null-values", words.null_values,
                  "Words of CSV that are nulls, with commas between them; an empty field is one")
      ->type_name("WORDS");
  command
      .add_option("--memory", words.memory,
                  "Memory for the columns of CSV; the rest waits in a temporary file (32M)")
      ->type_name("SIZE");
}

void add_encode_options(CLI::App& command, EncodeWords& words) {
  command.add_option("--level", words.level, "0 (fast) to 12 (small)")
      ->type_name("N")
      ->check(whole_number(0, kMaxLevel))
      ->capture_default_str();
  command
      .add_option("--mode", words.mode,
                  "auto, classic, int-mult=BASE, float-mult=BASE, float-quant=K or dict")
      ->type_name("MODE");
  command.add_option("--delta", words.delta, "auto, none, consecutive=N, lookback or conv1=N")
      ->type_name("DELTA");
  command
      .add_option("--page-size", words.page_size,
                  "Numbers in a chunk, at most; auto: chunks end where the numbers change")
      ->type_name("N");
  command
      .add_option("--compat", words.compat,
                  "Oldest format version whose readers must read the file: 1, 2, 3, 4.0 or 4.1")
      ->type_name("VERSION");
  command.add_flag("--favor-decode-speed", words.favor_decode_speed,
                   "Of ways that are about as small, take one that decodes fast");
}

struct AllOptions {
  CompressOptions compress;
  DecompressOptions decompress;
  InspectOptions inspect;
  ExplainOptions explain;
  IndexOptions index;
  VerifyOptions verify;
  BenchOptions bench;
  CpuOptions cpu;
};

CLI::App* add_compress(CLI::App& app, CompressOptions& options) {
  CLI::App* command = app.add_subcommand("compress", "Numbers, or columns of a table, to Pco");
  command->add_option("FILE", options.input, "What to compress; - is standard input")
      ->required()
      ->type_name("");
  command
      ->add_option("-o,--output", options.output,
                   "The .pco file, - for standard output, or a folder for a whole table")
      ->type_name("PATH");
  add_overwrite_options(*command, options.overwrite, options.common);
  add_encode_options(*command, options.encode);
  add_source_options(*command, options.source);
  command->add_flag("--flatten", options.source.flatten,
                    "Take an array of several dimensions as one row of numbers");
  command->add_flag("--append", options.append, "Add to the .pco file instead of making it");
  command->add_flag("--verify", options.verify, "Decode what is written and compare (the default)");
  command->add_flag("--no-verify", options.no_verify, "Do without");
  command->add_flag("--trailer", options.trailer.wanted,
                    "Write index and checksums behind the file (the default for files)");
  command->add_flag("--no-trailer", options.trailer.unwanted, "Do without");
  add_restart_option(*command, options.trailer.restart);
  add_thread_option(*command, options.threads, "encode");
  add_common_options(*command, options.common);
  command->footer(kCompressFooter);
  return command;
}

CLI::App* add_decompress(CLI::App& app, DecompressOptions& options) {
  CLI::App* command = app.add_subcommand("decompress", "Pco back to numbers, or a table");
  command->add_option("FILE", options.input, "A .pco file, a folder of compress, or -")
      ->required()
      ->type_name("");
  command->add_option("-o,--output", options.output, "Where to; else standard output")
      ->type_name("PATH");
  add_overwrite_options(*command, options.overwrite, options.common);
  command
      ->add_option("--to", options.to,
                   "text, npy, raw, csv, tsv, parquet, arrow or arrows; else told by PATH")
      ->type_name("FORMAT");
  command->add_option("--column", options.column, "One column of a folder, by name or index")
      ->type_name("NAME");
  command->add_option("--dtype", options.dtype, "The number type the file must hold")
      ->type_name("TYPE");
  command
      ->add_option("--range", options.range,
                   "Only COUNT numbers from number FIRST on (from 0); the rest is not decoded")
      ->type_name("FIRST:COUNT");
  command
      ->add_option("--nulls", options.nulls, "What to do with the nulls of a folder: keep or drop")
      ->type_name("WHAT")
      ->capture_default_str();
  command->add_flag("--salvage", options.salvage,
                    "Of a damaged file write what is sound, say what is lost (exit code 3)");
  command->add_flag("--verify-trailer", options.verify_trailer,
                    "Prove what the trailer says first, for --range; a damaged one is an error");
  command->add_flag("--ignore-trailer", options.ignore_trailer,
                    "Do not compare checksums: for a damaged chunk that still decodes");
  add_thread_option(*command, options.threads, "decode");
  add_limit_options(*command, options.limits);
  add_common_options(*command, options.common);
  command->footer(kDecompressFooter);
  return command;
}

CLI::App* add_inspect(CLI::App& app, InspectOptions& options) {
  CLI::App* command = app.add_subcommand("inspect", "What is inside a .pco file or a folder");
  command->add_option("FILE", options.input, "A .pco file, a folder of compress, or -")
      ->required()
      ->type_name("");
  command->add_flag("--bins", options.bins, "List the bins too");
  command->add_flag("--json", options.json, "For programs");
  add_limit_options(*command, options.limits);
  return command;
}

CLI::App* add_explain(CLI::App& app, ExplainOptions& options) {
  CLI::App* command = app.add_subcommand("explain", "Why columns take the bytes they take");
  command
      ->add_option("FILE", options.input,
                   "A file of any input format, a .pco file, a folder of compress, or -")
      ->required()
      ->type_name("");
  add_encode_options(*command, options.encode);
  add_source_options(*command, options.source);
  command->add_option("--chunk", options.chunk, "Only this chunk (from 0)")
      ->type_name("N")
      ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max()));
  command->add_flag("--again", options.again, "Choose anew for a .pco file, and compare");
  command
      ->add_option("--plot", options.plot, "Draw the bins of a chunk, the first or --chunk: .svg")
      ->type_name("PATH");
  add_overwrite_options(*command, options.overwrite, options.common);
  command->add_flag("--json", options.json, "For programs");
  add_limit_options(*command, options.limits);
  add_common_options(*command, options.common);
  command->footer(kExplainFooter);
  return command;
}

CLI::App* add_index(CLI::App& app, IndexOptions& options) {
  CLI::App* command =
      app.add_subcommand("index", "Give .pco files a trailer: index, ranges, checksums");
  command->add_option("FILE", options.inputs, ".pco files and folders of compress")
      ->required()
      ->type_name("");
  add_restart_option(*command, options.restart);
  command->add_flag("--remove", options.remove, "Take the trailer away");
  add_overwrite_options(*command, options.overwrite, options.common,
                        "Also where bytes follow that are no trailer: they go");
  add_limit_options(*command, options.limits);
  add_common_options(*command, options.common);
  command->footer(kIndexFooter);
  return command;
}

CLI::App* add_verify(CLI::App& app, VerifyOptions& options) {
  CLI::App* command = app.add_subcommand("verify", "Decode everything, tell how far it is good");
  command->add_option("FILE", options.inputs, ".pco files and folders of compress")
      ->required()
      ->type_name("");
  command->add_flag("--json", options.json, "For programs");
  add_thread_option(*command, options.threads, "decode");
  add_limit_options(*command, options.limits);
  add_common_options(*command, options.common);
  return command;
}

CLI::App* add_bench(CLI::App& app, BenchOptions& options) {
  CLI::App* command =
      app.add_subcommand("bench", "Measure size and speed on columns, beside zstd and lz4");
  command->add_option("FILE", options.inputs, "Files of any input format")
      ->required()
      ->type_name("");
  add_encode_options(*command, options.encode);
  add_source_options(*command, options.source);
  command->add_option("--rounds", options.rounds, "Times to repeat; the best counts")
      ->type_name("N")
      ->check(whole_number(1, 1000))
      ->capture_default_str();
  add_thread_option(*command, options.threads, "encode and decode");
  command->add_flag("--json", options.json, "For programs");
  return command;
}

CLI::App* add_cpu(CLI::App& app, CpuOptions& options) {
  CLI::App* command = app.add_subcommand("cpu", "Which instruction sets there are, which is used");
  command->add_flag("--json", options.json, "For programs");
  return command;
}

// An option whose value is empty, as by a variable that is not set, says something and sets
// nothing. Names may be empty, and so may lists of words.
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

int run(int argc, char** argv) {
  CLI::App app("Lossless compression of numbers in the Pco format; vectors in CVC files.",
               "numpact");
  app.footer(kFooter);
  app.set_version_flag("--version", kVersionLine);
  app.require_subcommand(1);
  AllOptions options;
  const CLI::App* compress = add_compress(app, options.compress);
  const CLI::App* decompress = add_decompress(app, options.decompress);
  const CLI::App* inspect = add_inspect(app, options.inspect);
  const CLI::App* explain = add_explain(app, options.explain);
  const CLI::App* index = add_index(app, options.index);
  const CLI::App* verify = add_verify(app, options.verify);
  const CLI::App* bench = add_bench(app, options.bench);
  add_cpu(app, options.cpu);
  const std::vector<CvcCommand> cvc = add_cvc_commands(app);
  refuse_empty_values(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    fail_usage("", usage_error(app, std::vector<std::string>(argv + 1, argv + argc), error));
  }
  const auto chosen = [&]() -> ExitCode {
    for (const CvcCommand& command : cvc) {
      if (command.app->parsed()) return command.run();
    }
    if (compress->parsed()) return run_compress(options.compress);
    if (decompress->parsed()) return run_decompress(options.decompress);
    if (inspect->parsed()) return run_inspect(options.inspect);
    if (explain->parsed()) return run_explain(options.explain);
    if (index->parsed()) return run_index(options.index);
    if (verify->parsed()) return run_verify(options.verify);
    if (bench->parsed()) return run_bench(options.bench);
    return run_cpu(options.cpu);
  };
  return static_cast<int>(chosen());
}

// Ends as a program does that knows nothing of the closed pipe.
int end_by_broken_pipe() {
  ::signal(SIGPIPE, SIG_DFL);
  ::raise(SIGPIPE);
  return static_cast<int>(ExitCode::kFailure);
}

int guarded_run(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const OutputGone&) {
    return end_by_broken_pipe();
  } catch (const Failure& failure) {
    say(failure.what());
    return static_cast<int>(failure.code());
  } catch (const Error& error) {
    say(option_words(error.what()));
    return static_cast<int>(exit_code_of(error.kind()));
  } catch (const std::bad_alloc&) {
    say("out of memory");
  } catch (const std::exception& error) {
    say(error.what());
  }
  return static_cast<int>(ExitCode::kFailure);
}

}  // namespace
}  // namespace numpact::cli

int main(int argc, char** argv) {
  // A library that was linked with -ffast-math, and is loaded beforehand, makes subnormals zeros.
  std::fesetenv(FE_DFL_ENV);
  numpact::cli::hold_little_memory();
  numpact::cli::watch_signals();
  return numpact::cli::guarded_run(argc, argv);
}
