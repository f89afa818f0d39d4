// SPDX-License-Identifier: Apache-2.0
// The commands, each in a file of its own, and what they are told.
#ifndef NUMPACT_CLI_COMMANDS_HPP
#define NUMPACT_CLI_COMMANDS_HPP

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "encode_options.hpp"
#include "failure.hpp"
#include "overwrite.hpp"

namespace numpact::cli {

struct CommonOptions {
  bool quiet = false;  // no notes and summaries
  bool no_progress = false;
  bool shows_progress() const { return !quiet && !no_progress; }
};

// How to read numbers from files that are not Pco.
struct SourceWords {
  std::string from;
  std::optional<std::string> column;  // names may be empty
  std::vector<std::string> dtypes;    // TYPE or NAME=TYPE
  std::vector<std::string> skip;
  std::string nulls;  // empty: what fits the output
  bool flatten = false;
  bool no_header = false;
  // CSV
  std::string delimiter;
  std::string quote = "\"";
  std::string decimal = ".";
  std::string null_values;
  std::string memory;
};

struct CompressOptions {
  std::string input;
  std::string output;
  Overwrite overwrite;
  bool append = false;
  bool verify = false;  // asked for; the same as not to say no
  bool no_verify = false;
  unsigned threads = 0;
  SourceWords source;
  EncodeWords encode;
  TrailerWords trailer;
  CommonOptions common;
};

struct DecompressOptions {
  std::string input;
  std::string output;
  std::string to;
  std::optional<std::string> column;
  std::string dtype;
  std::string range;
  std::string nulls = "keep";
  Overwrite overwrite;
  bool salvage = false;         // what is sound, and a word on what is not
  bool ignore_trailer = false;  // whatever checksums say
  bool verify_trailer = false;  // prove what it says before parts are read by it
  unsigned threads = 0;
  LimitWords limits;
  CommonOptions common;
};

struct InspectOptions {
  std::string input;
  bool bins = false;
  bool json = false;
  LimitWords limits;
};

struct ExplainOptions {
  std::string input;
  std::optional<std::size_t> chunk;
  std::string plot;
  bool again = false;
  Overwrite overwrite;
  bool json = false;
  SourceWords source;
  EncodeWords encode;
  LimitWords limits;
  CommonOptions common;
};

struct IndexOptions {
  std::vector<std::string> inputs;
  std::string restart;
  bool remove = false;
  Overwrite overwrite;  // also what follows the file and is no trailer
  LimitWords limits;
  CommonOptions common;
};

struct VerifyOptions {
  std::vector<std::string> inputs;
  bool json = false;
  unsigned threads = 0;
  LimitWords limits;
  CommonOptions common;
};

struct BenchOptions {
  std::vector<std::string> inputs;
  int rounds = 5;
  unsigned threads = 1;
  bool json = false;
  SourceWords source;
  EncodeWords encode;
};

struct CpuOptions {
  bool json = false;
};

ExitCode run_compress(const CompressOptions& options);
ExitCode run_decompress(const DecompressOptions& options);
ExitCode run_inspect(const InspectOptions& options);
ExitCode run_explain(const ExplainOptions& options);
ExitCode run_index(const IndexOptions& options);
ExitCode run_verify(const VerifyOptions& options);
ExitCode run_bench(const BenchOptions& options);
ExitCode run_cpu(const CpuOptions& options);

}  // namespace numpact::cli

#endif
