// SPDX-License-Identifier: Apache-2.0
// numpact inspect
#include <fmt/format.h>

#include "commands.hpp"
#include "files.hpp"
#include "inspect_report.hpp"
#include "manifest.hpp"
#include "print.hpp"

namespace numpact::cli {
namespace {

FileInfo inspect_file(const std::string& path) {
  const FileBytes file(path);
  FileInfo info;
  DecodeConfig config;
  config.progress = file.releasing();
  check(try_inspect(file.bytes(), info, config), path == "-" ? "(stdin)" : path);
  return info;
}

std::string folder_report(const InspectOptions& options) {
  const Manifest manifest = read_manifest(options.input);
  std::vector<FileInfo> files;
  std::vector<std::uint64_t> null_bytes;  // of the files of null rows
  for (const ManifestColumn& column : manifest.columns) {
    files.push_back(inspect_file(options.input + "/" + column.file));
    if (column.null_count == 0) continue;
    null_bytes.push_back(FileBytes(options.input + "/" + column.null_file).bytes().size());
  }
  return options.json ? table_json(manifest, files, options.bins)
                      : table_report(options.input, manifest, files, null_bytes);
}

std::string file_report(const InspectOptions& options) {
  const FileInfo info = inspect_file(options.input);
  return options.json ? info_json(info, options.bins)
                      : info_report(options.input, info, options.bins);
}

}  // namespace

ExitCode run_inspect(const InspectOptions& options) {
  const std::string report =
      is_folder(options.input) ? folder_report(options) : file_report(options);
  print_report(report);
  return ExitCode::kDone;
}

}  // namespace numpact::cli
