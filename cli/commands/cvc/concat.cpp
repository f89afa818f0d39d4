// SPDX-License-Identifier: Apache-2.0
// numpact cvc concat
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <numeric>

#include "commands/common_options.hpp"
#include "commands/cvc/commands.hpp"
#include "cvc/chunk_copy.hpp"
#include "cvc/cvc_output.hpp"
#include "report/text_table.hpp"

namespace numpact::cli {
namespace {

constexpr const char* kConcatFooter = R"(
Examples:
  numpact cvc concat part.cvc docs.cvc -o more.cvc       the rows of both, in this order
  numpact cvc concat part.cvc part.cvc -o twice.cvc
  numpact cvc concat documents -o docs.cvc               a folder that grows, as one file
)";

constexpr const char* kAdvice =
    "write to another file, or add rows to a folder with 'numpact cvc append FOLDER FILE'";

struct ConcatOptions {
  std::vector<std::string> inputs;
  std::string output;
  Overwrite overwrite;
  CommonOptions common;
};

std::string words_for(const cvc::Info& info) {
  if (!info.is_columnar) return fmt::format("one array of dimension {}", info.columns[0].dimension);
  return "columns " + cvc::columns_text(info);
}

// Opens all inputs first, so that nothing is written if one is incompatible.
std::vector<std::unique_ptr<CvcInput>> open_all(const ConcatOptions& options) {
  std::vector<std::unique_ptr<CvcInput>> inputs;
  for (const std::string& path : options.inputs) {
    refuse_same_file(path, options.output, kAdvice);
    inputs.push_back(std::make_unique<CvcInput>(path));
    const CvcInput& input = *inputs.back();
    input.refuse_output(options.output, kAdvice);
    if (cvc::same_columns(inputs[0]->info(), input.info())) continue;
    throw Failure(ExitCode::kFailure, input.name(),
                  fmt::format("has {}, but {} has {}", words_for(input.info()), inputs[0]->name(),
                              words_for(inputs[0]->info())));
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

void concat(const ConcatOptions& options) {
  if (options.output.empty())
    fail_usage("-o", "is needed: the output file, or - for standard output");
  const std::vector<std::unique_ptr<CvcInput>> inputs = open_all(options);
  const cvc::Info& first = inputs[0]->info();
  std::vector<std::size_t> columns(first.columns.size());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  CvcOutput output(options.output, options.overwrite);
  cvc::WriteConfig config = config_of(inputs, columns);
  config.sync = output.sync();
  Result<cvc::Writer> writer = cvc::Writer::create(output.path(), config);
  check(writer.status(), output.name());
  std::uint64_t row_numbers = 0;
  std::uint64_t rows = 0;
  for (const cvc::Column& column : first.columns) row_numbers += column.dimension;
  for (const auto& input : inputs) rows += input->info().rows;
  ProgressBar progress(output.name(), rows * row_numbers, options.common.shows_progress());
  ChunkCopier copier(*writer, output.name(), progress);
  for (const auto& input : inputs) {
    copier.copy_all(*input, columns);
    if (input->info().metadata != first.metadata && !options.common.quiet) {
      print_message(fmt::format("{}: its metadata is left out, that of {} is kept", input->name(),
                                inputs[0]->name()));
    }
  }
  cvc::WriteReport report;
  check(writer->finish().into(report), output.name());
  output.commit();
  if (options.common.quiet || output.is_stdout()) return;
  print_message(fmt::format("{}: {} rows in {} chunks, {} bytes", output.name(),
                            grouped(report.rows), grouped(report.chunks), grouped(report.bytes)));
}

}  // namespace

Command add_cvc_concat(CLI::App& group) {
  const auto options = std::make_shared<ConcatOptions>();
  CLI::App* command = group.add_subcommand("concat", "Concatenate files; chunks are copied");
  command->add_option("FILE", options->inputs, "CVC files or folders of the same columns")
      ->required()
      ->type_name("");
  command->add_option("-o,--output", options->output, "The new file, - for standard output")
      ->type_name("PATH");
  add_overwrite_options(*command, options->overwrite, options->common);
  add_common_options(*command, options->common);
  command->footer(kConcatFooter);
  return {command, [options] {
            concat(*options);
            return ExitCode::kDone;
          }};
}

}  // namespace numpact::cli
