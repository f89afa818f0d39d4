// SPDX-License-Identifier: Apache-2.0
#include "commands/compress_options.hpp"

#include <CLI/CLI.hpp>

#include "options.hpp"
#include "text/nearest.hpp"

namespace numpact::cli {

OtherPolicy parse_others(const std::string& text) {
  if (text.empty()) return OtherPolicy::kKeepIfPossible;
  if (text == "keep") return OtherPolicy::kKeep;
  if (text == "drop") return OtherPolicy::kDrop;
  if (text == "error") return OtherPolicy::kError;
  fail_choice("--others", text, {"keep", "drop", "error"});
}

table::SchemaChange parse_schema(const CompressOptions& options) {
  if (options.schema.empty()) return table::SchemaChange::kNone;
  if (!options.append) fail_usage("--schema", "applies to --append");
  if (options.schema == "same") return table::SchemaChange::kNone;
  if (options.schema == "extend") return table::SchemaChange::kExtend;
  fail_choice("--schema", options.schema, {"same", "extend"});
}

std::vector<table::Vectors> vectors_of(const std::vector<std::string>& args,
                                       std::span<const Column> columns, const std::string& file) {
  std::vector<table::Vectors> made(columns.size(), table::Vectors::kExact);
  for (const std::string& arg : args) {
    const std::size_t equals = arg.rfind('=');
    const auto form = table::vectors_of_name(std::string_view(arg).substr(equals + 1));
    if (equals == std::string::npos || !form) {
      fail_usage("--vectors", "'" + arg + "' is no column with a compression, as emb=int8_dim is");
    }
    const std::string name = arg.substr(0, equals);
    const std::size_t index = find_name(names_of(columns), file, name);
    if (columns[index].unfit.empty()) {
      fail_usage("--vectors", "column '" + name + "' has no fixed-size lists");
    }
    made[index] = *form;
  }
  return made;
}

void refuse_undivided(const CLI::App& command) {
  // Tables of a dataset do not have them, or they divide no table.
  for (const char* const name :
       {"--append", "--column", "--compat", "--delta", "--decode-weight", "--favor-decode-speed",
        "--force", "--json", "--lock-timeout", "--mode", "--no-trailer", "--no-verify",
        "--page-size", "--restart", "--schema", "--trailer"}) {
    if (command.count(name) > 0) fail_usage(name, "does not apply with --partition-by");
  }
}

void add_compress_options(CLI::App& command, CompressOptions& options) {
  add_argument(command, "FILE", options.input, "Input file; - is standard input");
  add_value(command, "-o,--output", "PATH", options.output,
            "The .pco file, - for standard output, or a folder for a whole table");
  add_overwrite_options(command, options.overwrite, options.common);
  add_encode_options(command, options.encode);
  add_rounding_options(command, options.rounding);
  command.add_flag("--json", options.json, "Print what was rounded as JSON");
  add_source_options(command, options.source);
  command.add_flag("--flatten", options.source.flatten, "Flatten an array of several dimensions");
  command.add_flag("--append", options.append,
                   "Append to an existing .pco file, or all columns of a table to its folder");
  add_value(command, "--schema", "WHAT", options.schema,
            "With --append to a folder: same (the default), or extend: columns may be new, "
            "absent and of wider types");
  add_value(command, "--others", "WHAT", options.others,
            "What to do with columns that Pco cannot hold: keep (the default if Arrow is "
            "there), drop or error");
  add_list(command, "--vectors", "COLUMN=C", options.vectors,
           "Store the fixed-size lists of floats of a column as vectors of a lossy "
           "compression, such as emb=int8_dim; may be given again");
  add_value(command, "--partition-by", "COLUMN,...", options.partition_by,
            "Write a folder of tables, such as day=2024-01-01/zone=7, by the values of columns");
  command.add_flag("--verify", options.verify, "Decode what is written and compare (the default)");
  command.add_flag("--no-verify", options.no_verify, "Skip the verification");
  command.add_flag("--trailer", options.trailer.requested,
                   "Append an index and checksums to the file (the default for files)");
  command.add_flag("--no-trailer", options.trailer.omitted, "Write no trailer");
  add_restart_option(command, options.trailer.restart);
  add_thread_option(command, options.threads, "read CSV and encode");
  add_common_options(command, options.common);
}

}  // namespace numpact::cli
