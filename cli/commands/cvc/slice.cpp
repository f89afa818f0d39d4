// SPDX-License-Identifier: Apache-2.0
// numpact cvc slice
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

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

struct SliceOptions {
  std::string input;
  std::string output;
  Overwrite overwrite;
  PartArgs part;
  CommonOptions common;
};

void slice(const SliceOptions& options) {
  refuse_same_file(options.input, options.output);
  const CvcInput input(options.input);
  input.refuse_output(options.output);
  const std::vector<cvc::RowRange> ranges = selected_rows(input, options.part);
  const std::vector<std::size_t> columns = selected_columns(input, options.part);
  CvcOutput output(options.output, options.overwrite);
  cvc::WriteConfig config = config_like(input.info(), columns);
  config.sync = output.sync();
  Result<cvc::Writer> writer = cvc::Writer::create(output.path(), config);
  check(writer.status(), output.name());
  std::uint64_t numbers = 0;
  for (const std::size_t index : columns) numbers += input.info().columns[index].dimension;
  ProgressBar progress(input.name(), count_rows(ranges) * numbers, options.common.shows_progress());
  ChunkCopier copier(*writer, output.name(), progress);
  const bool is_all = ranges.size() == 1 && ranges[0].count == input.info().rows;
  if (is_all) {
    copier.copy_all(input, columns);
  } else {
    copier.copy(input, columns, ranges);
  }
  cvc::WriteReport report;
  check(writer->finish().into(report), output.name());
  output.commit();
  if (copier.rows_reencoded() > 0) {
    print_message(fmt::format("{}: {} rows of chunks that were cut have been rounded again",
                              output.name(), copier.rows_reencoded()));
  }
  if (options.common.quiet || output.is_stdout()) return;
  print_message(fmt::format("{}: {} rows in {} chunks, {} bytes", output.name(),
                            grouped(report.rows), grouped(report.chunks), grouped(report.bytes)));
}

}  // namespace

Command add_cvc_slice(CLI::App& group) {
  const auto options = std::make_shared<SliceOptions>();
  CLI::App* command =
      group.add_subcommand("slice", "Extract rows or columns into a CVC file; codes are copied");
  command->add_option("FILE", options->input, "A CVC file, or -")->required()->type_name("");
  command->add_option("OUT", options->output, "The new file, - for standard output")
      ->required()
      ->type_name("");
  add_overwrite_options(*command, options->overwrite, options->common);
  add_part_options(*command, options->part);
  add_common_options(*command, options->common);
  command->footer(kSliceFooter);
  return {command, [options] {
            slice(*options);
            return ExitCode::kDone;
          }};
}

}  // namespace numpact::cli
