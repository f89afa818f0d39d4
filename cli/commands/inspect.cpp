// SPDX-License-Identifier: Apache-2.0
// numpact inspect
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "commands/common_options.hpp"
#include "io/files.hpp"
#include "pco/manifest.hpp"
#include "pco/pco_file.hpp"
#include "pco/table_folder.hpp"
#include "report/inspect_report.hpp"
#include "report/print.hpp"

namespace numpact::cli {
namespace {

constexpr const char* kInspectFooter = R"(
Examples:
  numpact inspect fare.pco                               chunks, modes, deltas, sizes
  numpact inspect trips                                  every column of a folder
  numpact inspect fare.pco --bins --json
)";

struct InspectOptions {
  std::string input;
  bool bins = false;
  bool json = false;
  LimitArgs limits;
};

// Inspects files. The limits apply to all files of a folder together.
class Inspector {
 public:
  explicit Inspector(const InspectOptions& options)
      : options_(options), limits_(parse_limit_args(options.limits).limits) {}

  std::string report() { return is_folder(options_.input) ? folder_report() : file_report(); }

 private:
  FileInfo inspect(const FileRef& ref) {
    const FileBytes file(ref);
    FileInfo info;
    DecodeConfig config;
    // A limit set by the user applies even if it is lower than the default.
    const bool is_set = limits_.max_output_bytes != DecodeLimits::kUnlimited;
    config.limits = is_set ? limits_ : walk_limits(limits_, file.bytes().size());
    std::uint64_t& left = config.limits.max_output_bytes;
    left -= std::min(left, passed_);
    config.progress = file.releasing();
    const Status status = inspect_into(file.bytes(), info, config);
    is_set ? check(status, ref->name()) : check_walk(status, config.limits, ref->name());
    for (const ChunkInfo& chunk : info.chunks) passed_ += chunk.count * size_of(chunk.type);
    return info;
  }

  // Describes two parts of a column as one file. A trailer that is not sound is the one to see.
  static void add_part(FileInfo& whole, FileInfo&& part) {
    for (ChunkInfo& chunk : part.chunks) whole.chunks.push_back(std::move(chunk));
    whole.chunk_count += part.chunk_count;
    whole.count += part.count;
    whole.raw_bytes += part.raw_bytes;
    whole.file_bytes += part.file_bytes;
    whole.trailing_bytes += part.trailing_bytes;
    if (part.trailer != TrailerState::kSound) whole.trailer = part.trailer;
  }

  std::string folder_report() {
    const TableFolder folder(options_.input);
    const Manifest& manifest = folder.manifest();
    std::vector<FileInfo> files;
    std::vector<std::uint64_t> null_bytes;  // sizes of the null files
    for (const ManifestColumn& column : manifest.columns) {
      std::optional<FileInfo> whole;
      for (const table::NumberPart& part : column.all_parts()) {
        FileInfo info = inspect(folder.file(part.file));
        whole ? add_part(*whole, std::move(info)) : void(whole = std::move(info));
        if (part.null_count > 0) null_bytes.push_back(*folder.file(part.null_file)->size());
      }
      files.push_back(*std::move(whole));
    }
    std::vector<std::uint64_t> other_bytes;
    for (const ManifestOther& other : manifest.others) {
      std::uint64_t& bytes = other_bytes.emplace_back();
      for (const OtherFile& file : folder.other(other)) bytes += file.file->size().value_or(0);
    }
    return options_.json ? table_json(manifest, files, options_.bins)
                         : table_report(options_.input, manifest, files, null_bytes, other_bytes);
  }

  std::string file_report() {
    const FileInfo info = inspect(open_file(options_.input));
    return options_.json ? info_json(info, options_.bins)
                         : info_report(options_.input, info, options_.bins);
  }

  const InspectOptions& options_;
  DecodeLimits limits_;
  std::uint64_t passed_ = 0;  // bytes of the numbers inspected so far
};

void add_options(CLI::App& command, InspectOptions& options) {
  add_argument(command, "FILE", options.input, "A .pco file, a folder of compress, or -");
  command.add_flag("--bins", options.bins, "Also list the bins");
  command.add_flag("--json", options.json, "Print JSON");
  add_limit_options(command, options.limits);
  command.footer(kInspectFooter);
}

}  // namespace

Command add_inspect_command(CLI::App& app) {
  const auto options = std::make_shared<InspectOptions>();
  CLI::App* command =
      app.add_subcommand("inspect", "Show the structure of a .pco file or a folder");
  add_options(*command, *options);
  return {command, [options] {
            print_report(Inspector(*options).report());
            return ExitCode::kDone;
          }};
}

}  // namespace numpact::cli
