// SPDX-License-Identifier: Apache-2.0
// numpact cvc upgrade
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

constexpr const char* kUpgradeFooter = R"(
Examples:
  numpact cvc upgrade old.cvc new.cvc                    adds checksums
  numpact cvc upgrade old.cvc new.cvc -f                 replaces new.cvc
)";

struct UpgradeOptions {
  std::string input;
  std::string output;
  Overwrite overwrite;
  CommonOptions common;
};

void upgrade(const UpgradeOptions& options) {
  refuse_same_file(options.input, options.output);
  const CvcInput input(options.input);
  const cvc::Info& info = input.info();
  if (info.is_columnar) {
    throw Failure(ExitCode::kFailure, input.name(), "a file of columns has nothing to upgrade");
  }
  CvcOutput output(options.output, options.overwrite);
  const std::size_t only = 0;
  cvc::WriteConfig config = config_like(info, {&only, 1});
  config.version = cvc::Version::kV10;
  config.paged = false;
  config.sync = output.sync();
  Result<cvc::Writer> writer = cvc::Writer::create(output.path(), config);
  check(writer.status(), output.name());
  ProgressBar progress(input.name(), info.rows * info.columns[0].dimension,
                       options.common.shows_progress());
  ChunkCopier(*writer, output.name(), progress).copy_all(input, {&only, 1});
  cvc::WriteReport report;
  check(writer->finish().into(report), output.name());
  output.commit();
  if (options.common.quiet || output.is_stdout()) return;
  print_message(fmt::format("{}: version {}.{} -> 1.0, {} rows in {} chunks, {} bytes",
                            output.name(), info.major, info.minor, grouped(report.rows),
                            grouped(report.chunks), grouped(report.bytes)));
}

}  // namespace

Command add_cvc_upgrade(CLI::App& group) {
  const auto options = std::make_shared<UpgradeOptions>();
  CLI::App* command =
      group.add_subcommand("upgrade", "Convert a file of version 0.1 to 1.0; chunks are copied");
  command->add_option("FILE", options->input, "The old CVC file, or -")->required()->type_name("");
  command->add_option("OUT", options->output, "The new file, - for standard output")
      ->required()
      ->type_name("");
  add_overwrite_options(*command, options->overwrite, options->common);
  add_common_options(*command, options->common);
  command->footer(kUpgradeFooter);
  return {command, [options] {
            upgrade(*options);
            return ExitCode::kDone;
          }};
}

}  // namespace numpact::cli
