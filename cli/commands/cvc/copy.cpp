// SPDX-License-Identifier: Apache-2.0
// numpact cvc slice, concat and upgrade: new files of chunks that are copied.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>

#include "commands/common_options.hpp"
#include "commands/cvc/commands.hpp"
#include "cvc/chunk_copy.hpp"
#include "cvc/cvc_output.hpp"
#include "report/text_table.hpp"

namespace numpact::cli {
namespace {

constexpr const char* kSliceFooter = R"(
Examples:
  numpact cvc slice docs.cvc part.cvc --rows 1000:500    500 rows from row 1000 on
  numpact cvc slice docs.cvc part.cvc --rows 0:10 -f     replaces part.cvc
)";

constexpr const char* kConcatFooter = R"(
Examples:
  numpact cvc concat part.cvc docs.cvc -o more.cvc       the rows of both, in this order
  numpact cvc concat part.cvc part.cvc -o twice.cvc
  numpact cvc concat documents -o docs.cvc               a folder that grows, as one file
)";

constexpr const char* kUpgradeFooter = R"(
Examples:
  numpact cvc upgrade old.cvc new.cvc                    adds checksums
  numpact cvc upgrade old.cvc new.cvc -f                 replaces new.cvc
)";

constexpr const char* kAdvice =
    "write to another file, or add rows to a folder with 'numpact cvc append FOLDER FILE'";

struct CopyOptions {
  std::vector<std::string> inputs;
  std::string output;
  Overwrite overwrite;
  PartArgs part;
  CommonOptions common;
};

// Writes a file with the chunks that a function copies. `place` and `rows` are for the progress, of
// the output if empty; the report begins with `change`.
void write_copies(const CopyOptions& options, cvc::WriteConfig config, const std::string& place,
                  std::uint64_t rows, const std::string& change,
                  const std::function<void(ChunkCopier&)>& copy) {
  CvcOutput output(options.output, options.overwrite);
  config.sync = output.sync();
  Result<cvc::Writer> writer = cvc::Writer::create(output.path(), config);
  check(writer.status(), output.name());
  std::uint64_t numbers = 0;
  for (const auto& column : config.columns) numbers += column.dimension;
  ProgressBar progress(place.empty() ? output.name() : place, rows * numbers,
                       options.common.shows_progress());
  ChunkCopier copier(*writer, output.name(), progress);
  copy(copier);
  cvc::WriteReport report;
  check(writer->finish().into(report), output.name());
  output.commit();
  if (copier.rows_reencoded() > 0) {
    print_message("{}: {} rows of chunks that were cut have been rounded again", output.name(),
                  copier.rows_reencoded());
  }
  if (options.common.quiet || output.is_stdout()) return;
  print_message("{}: {}{} rows in {} chunks, {} bytes", output.name(), change, grouped(report.rows),
                grouped(report.chunks), grouped(report.bytes));
}

void slice(const CopyOptions& options) {
  refuse_same_file(options.inputs[0], options.output);
  const CvcInput input(options.inputs[0]);
  input.refuse_output(options.output);
  const std::vector<cvc::RowRange> ranges = selected_rows(input, options.part);
  const std::vector<std::size_t> columns = selected_columns(input, options.part);
  const bool is_all = ranges.size() == 1 && ranges[0].count == input.info().rows;
  write_copies(options, config_like(input.info(), columns), input.name(), count_rows(ranges), "",
               [&](ChunkCopier& copier) {
                 is_all ? copier.copy_all(input, columns) : copier.copy(input, columns, ranges);
               });
}

std::string words_for(const cvc::Info& info) {
  if (!info.is_columnar) return fmt::format("one array of dimension {}", info.columns[0].dimension);
  return "columns " + cvc::columns_text(info);
}

// Opens all inputs first, so that nothing is written if one is incompatible.
std::vector<std::unique_ptr<CvcInput>> open_all(const CopyOptions& options) {
  std::vector<std::unique_ptr<CvcInput>> inputs;
  for (const std::string& path : options.inputs) {
    refuse_same_file(path, options.output, kAdvice);
    inputs.push_back(std::make_unique<CvcInput>(path));
    const CvcInput& input = *inputs.back();
    input.refuse_output(options.output, kAdvice);
    if (cvc::same_columns(inputs[0]->info(), input.info())) continue;
    fail(input.name(), "has {}, but {} has {}", words_for(input.info()), inputs[0]->name(),
         words_for(inputs[0]->info()));
  }
  return inputs;
}

cvc::WriteConfig config_of(const std::vector<std::unique_ptr<CvcInput>>& inputs,
                           std::span<const std::size_t> columns) {
  cvc::WriteConfig config = config_like(inputs[0]->info(), columns);
  // Version 1.0 can hold what 0.1 holds, but not vice versa.
  const bool is_new = std::any_of(inputs.begin(), inputs.end(),
                                  [](const auto& input) { return input->info().major > 0; });
  if (is_new && config.version == cvc::Version::kV01) config.version = cvc::Version::kV10;
  return config;
}

void concat(const CopyOptions& options) {
  if (options.output.empty())
    fail_usage("-o", "is needed: the output file, or - for standard output");
  const std::vector<std::unique_ptr<CvcInput>> inputs = open_all(options);
  const cvc::Info& first = inputs[0]->info();
  std::vector<std::size_t> columns(first.columns.size());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  std::uint64_t rows = 0;
  for (const auto& input : inputs) rows += input->info().rows;
  write_copies(options, config_of(inputs, columns), "", rows, "", [&](ChunkCopier& copier) {
    for (const auto& input : inputs) {
      copier.copy_all(*input, columns);
      if (input->info().metadata != first.metadata && !options.common.quiet) {
        print_message("{}: its metadata is left out, that of {} is kept", input->name(),
                      inputs[0]->name());
      }
    }
  });
}

void upgrade(const CopyOptions& options) {
  refuse_same_file(options.inputs[0], options.output);
  const CvcInput input(options.inputs[0]);
  const cvc::Info& info = input.info();
  if (info.is_columnar) fail(input.name(), "a file of columns has nothing to upgrade");
  const std::size_t only = 0;
  cvc::WriteConfig config = config_like(info, {&only, 1});
  config.version = cvc::Version::kV10;
  config.paged = false;
  write_copies(options, config, input.name(), info.rows,
               fmt::format("version {}.{} -> 1.0, ", info.major, info.minor),
               [&](ChunkCopier& copier) {
                 copier.copy_all(input, {&only, 1});
               });
}

// A command that copies FILE to OUT.
Command add_copy(CLI::App& group, const char* name, const char* what, const char* file,
                 const char* footer, void (*run)(const CopyOptions&), bool of_parts) {
  const auto options = std::make_shared<CopyOptions>();
  options->inputs.resize(1);
  CLI::App* command = group.add_subcommand(name, what);
  add_argument(*command, "FILE", options->inputs[0], file);
  add_argument(*command, "OUT", options->output, "The new file, - for standard output");
  add_overwrite_options(*command, options->overwrite, options->common);
  if (of_parts) add_part_options(*command, options->part);
  add_common_options(*command, options->common);
  command->footer(footer);
  return {command, [options, run] { return run(*options), ExitCode::kDone; }};
}

}  // namespace

Command add_cvc_slice(CLI::App& group) {
  return add_copy(group, "slice", "Extract rows or columns into a CVC file; codes are copied",
                  "A CVC file, or -", kSliceFooter, &slice, true);
}

Command add_cvc_upgrade(CLI::App& group) {
  return add_copy(group, "upgrade", "Convert a file of version 0.1 to 1.0; chunks are copied",
                  "The old CVC file, or -", kUpgradeFooter, &upgrade, false);
}

Command add_cvc_concat(CLI::App& group) {
  const auto options = std::make_shared<CopyOptions>();
  CLI::App* command = group.add_subcommand("concat", "Concatenate files; chunks are copied");
  add_argument(*command, "FILE", options->inputs, "CVC files or folders of the same columns");
  add_value(*command, "-o,--output", "PATH", options->output,
            "The new file, - for standard output");
  add_overwrite_options(*command, options->overwrite, options->common);
  add_common_options(*command, options->common);
  command->footer(kConcatFooter);
  return {command, [options] { return concat(*options), ExitCode::kDone; }};
}

}  // namespace numpact::cli
