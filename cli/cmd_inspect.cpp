// SPDX-License-Identifier: Apache-2.0
// numpact inspect
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "commands.hpp"
#include "files.hpp"
#include "inspect_report.hpp"
#include "manifest.hpp"
#include "pco_file.hpp"
#include "print.hpp"
#include "table_folder.hpp"

namespace numpact::cli {
namespace {

// Walks over files; what those of a folder say is counted together.
class Inspector {
 public:
  explicit Inspector(const InspectOptions& options)
      : options_(options), limits_(parse_limit_words(options.limits).limits) {}

  std::string report() { return is_folder(options_.input) ? folder_report() : file_report(); }

 private:
  FileInfo inspect(const FileRef& ref) {
    const FileBytes file(ref);
    FileInfo info;
    DecodeConfig config;
    // A limit that the user sets holds, also where it is lower.
    const bool is_set = limits_.max_output_bytes != DecodeLimits::kUnlimited;
    config.limits = is_set ? limits_ : walk_limits(limits_, file.bytes().size());
    std::uint64_t& most = config.limits.max_output_bytes;
    most -= std::min(most, passed_);
    config.progress = file.releasing();
    const Status status = try_inspect(file.bytes(), info, config);
    is_set ? check(status, ref->name()) : check_walk(status, config.limits, ref->name());
    for (const ChunkInfo& chunk : info.chunks) passed_ += chunk.count * size_of(chunk.type);
    return info;
  }

  std::string folder_report() {
    const TableFolder folder(options_.input);
    const Manifest& manifest = folder.manifest();
    std::vector<FileInfo> files;
    std::vector<std::uint64_t> null_bytes;  // of the files of null rows
    for (const ManifestColumn& column : manifest.columns) {
      files.push_back(inspect(folder.file(column.file)));
      if (column.null_count == 0) continue;
      null_bytes.push_back(*folder.file(column.null_file)->size());
    }
    return options_.json ? table_json(manifest, files, options_.bins)
                         : table_report(options_.input, manifest, files, null_bytes);
  }

  std::string file_report() {
    const FileInfo info = inspect(open_file(options_.input));
    return options_.json ? info_json(info, options_.bins)
                         : info_report(options_.input, info, options_.bins);
  }

  const InspectOptions& options_;
  DecodeLimits limits_;
  std::uint64_t passed_ = 0;  // bytes of numbers
};

}  // namespace

ExitCode run_inspect(const InspectOptions& options) {
  print_report(Inspector(options).report());
  return ExitCode::kDone;
}

}  // namespace numpact::cli
