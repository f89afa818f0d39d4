// SPDX-License-Identifier: Apache-2.0
// numpact compact
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/append_types.hpp"
#include "commands/commands.hpp"
#include "commands/common_options.hpp"
#include "commands/other_column.hpp"
#include "numpact/executor.hpp"
#include "pco/folder_writer.hpp"
#include "pco/table_folder.hpp"
#include "report/text_table.hpp"

namespace numpact::cli {
namespace {

constexpr const char* kCompactFooter = R"(
Examples:
  numpact compact trips                                  one file for each column
  numpact compact trips --level 10                       and smaller ones
)";

struct CompactOptions {
  std::vector<std::string> folders;
  Overwrite overwrite;
  EncodeArgs encode;
  TrailerArgs trailer;
  bool no_verify = false;
  unsigned threads = 0;
  CommonOptions common;
};

class Compactor {
 public:
  explicit Compactor(const CompactOptions& options)
      : options_(options), executor_(options.threads) {}

  void join(const std::string& path) {
    WriteOptions write;
    write.config = parse_encode_args(options_.encode);
    write.config.executor = &executor_;
    write.config.trailer = parse_trailer_args(options_.trailer, false);
    write.verify = !options_.no_verify;
    static_cast<void>(stated_types(path, options_.overwrite, write));  // restart points
    FolderWriter folder(path, write, options_.overwrite, table::WritePlan::Kind::kCompact);
    const FolderWriter::Files before = folder.files_of(folder.before());
    std::optional<TableFolder> old;
    if (!folder.before().others.empty()) old.emplace(path);
    OtherColumns others(folder, old ? &*old : nullptr);
    for (std::size_t i = 0; i < folder.entries().size(); ++i) {
      if (folder.plan(i).copied_rows() == 0) continue;
      if (folder.entries()[i].numbers != nullptr) {
        folder.finish(i);
      } else {
        others.join(i, 0);
      }
    }
    if (write.verify) others.verify();
    old.reset();  // Windows replaces no manifest that is open
    folder.commit();
    if (options_.common.quiet) return;
    const FolderWriter::Files after = folder.files_of(folder.manifest());
    print_message("{}: {} of {} bytes, before {} of {}", folder.name(),
                  counted(after.count, "file"), grouped(after.bytes), grouped(before.count),
                  grouped(before.bytes));
  }

 private:
  const CompactOptions& options_;
  ThreadExecutor executor_;  // shared by all columns
};

void add_options(CLI::App& command, CompactOptions& options) {
  add_argument(command, "FOLDER", options.folders, "Folders of tables");
  add_lock_option(command, options.overwrite, options.common);
  add_level_option(command, options.encode);
  command.add_flag("--no-verify", options.no_verify, "Skip the verification");
  command.add_flag("--no-trailer", options.trailer.omitted, "Write no trailer");
  add_restart_option(command, options.trailer.restart);
  add_thread_option(command, options.threads, "decode and encode");
  add_common_options(command, options.common);
  command.footer(kCompactFooter);
}

}  // namespace

Command add_compact_command(CLI::App& app) {
  const auto options = std::make_shared<CompactOptions>();
  CLI::App* command = app.add_subcommand(
      "compact", "Join the files of each column of a table, which many appends leave");
  add_options(*command, *options);
  return {command, [options] {
            Compactor compactor(*options);
            for (const std::string& path : options->folders) compactor.join(path);
            return ExitCode::kDone;
          }};
}

}  // namespace numpact::cli
