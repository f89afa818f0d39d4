// SPDX-License-Identifier: Apache-2.0
// numpact index
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "commands/commands.hpp"
#include "commands/common_options.hpp"
#include "commands/dataset.hpp"
#include "io/files.hpp"
#include "io/output_file.hpp"
#include "numpact/trailer.hpp"
#include "pco/manifest.hpp"
#include "pco/table_folder.hpp"
#include "platform/files.hpp"
#include "report/progress_bar.hpp"
#include "report/text_table.hpp"

namespace numpact::cli {
namespace {

constexpr const char* kIndexFooter = R"(
Examples:
  numpact index old.pco                                  from any writer, replaced in one step
  numpact index prices.pco --restart 64K                 fine random access, threads within chunks
  numpact index trips                                    of compress --partition-by
)";

struct IndexOptions {
  std::vector<std::string> inputs;
  std::string restart;
  bool remove = false;
  Overwrite overwrite;  // also allows dropping trailing bytes that are not a trailer
  LimitArgs limits;
  CommonOptions common;
};

class Indexer {
 public:
  explicit Indexer(const IndexOptions& options)
      : options_(options), config_(parse_limit_args(options.limits)) {
    TrailerArgs args;
    args.requested = true;
    args.restart = options.restart;
    if (options.remove && !options.restart.empty()) fail_usage("--remove", "contradicts --restart");
    spec_ = options.remove ? TrailerSpec::none() : parse_trailer_args(args, false);
  }

  void add(const std::string& path) const {
    if (!is_folder(path)) return add_to_file(path);
    platform::FileInfo found;
    if (!platform::look_at(path + "/" + std::string(kManifestName), found))
      return add_dataset(path);
    const TableFolder folder(path);
    for (const ManifestColumn& column : folder.manifest().columns) {
      if (column.parts.empty()) continue;
      fail(column_place(path, column.name),
           "has parts, whose checksums the manifest has: their files cannot be changed");
    }
    for (const ManifestColumn& column : folder.manifest().columns) {
      add_to_member(folder, column.file);
      if (column.null_count > 0) add_to_member(folder, column.null_file);
    }
  }

 private:
  void add_dataset(const std::string& path) const {
    for (const auto& [is_given, name] :
         {std::pair(options_.remove, "--remove"), std::pair(!options_.restart.empty(), "--restart"),
          std::pair(options_.overwrite.is_allowed, "--force")}) {
      if (is_given) fail_usage(name, "does not apply to the index of a dataset");
    }
    const std::size_t count = index_dataset(path);
    if (options_.common.quiet) return;
    print_message(fmt::format("{}: {} tables indexed", path, grouped(count)));
  }

  // Adds a trailer to a file of a folder. Checks after locking it that no link leads out of the
  // folder.
  void add_to_member(const TableFolder& folder, const std::string& name) const {
    const std::string path = folder.path_of(name);
    static_cast<void>(folder.file(name));
    FileLock lock = lock_existing(path, options_.overwrite);
    if (folder_of(lock.path()) != resolve_links(folder_of(path))) {
      fail_corrupt(path, "corrupt: is a link that leads out of the folder");
    }
    add_to_locked(std::move(lock), path);
  }

  void add_to_file(const std::string& path) const {
    add_to_locked(lock_existing(path, options_.overwrite), path);
  }

  // Replaces the locked file.
  void add_to_locked(FileLock lock, const std::string& path) const {
    const FileBytes file(lock.path());
    std::optional<Trailer> old;
    const bool is_read = Trailer::read(file.bytes()).into(old).ok();
    // Otherwise a damaged file would get a new trailer that declares it valid.
    DecodeConfig config = config_;
    config.progress = file.releasing();
    Verification found;
    if (old) {
      check(verify(file.bytes(), config).into(found), path);
      if (!found.is_sound() && !options_.overwrite.is_allowed) refuse(found, path);
    }
    if (options_.overwrite.is_allowed) config.trailer = TrailerPolicy::kIgnore;
    MadeTrailer made;
    const Status status = Trailer::make(file.bytes(), spec_, config).into(made);
    if (!status.ok() && !is_read && !options_.overwrite.is_allowed) {
      fail_corrupt(path, message_of(status) + " (--force makes a new trailer)");
    }
    check(status, path);
    const auto& [trailer, file_bytes] = made;
    OutputFile out(std::move(lock), path);
    copy_first(file, file_bytes, out);
    out.put(trailer);
    out.commit();
    report(path, file_bytes, trailer.size());
  }

  static void copy_first(const FileBytes& file, std::uint64_t size, OutputFile& out) {
    constexpr std::uint64_t kBlockBytes = std::uint64_t{4} << 20;
    for (std::uint64_t at = 0; at < size; at += kBlockBytes) {
      const std::uint64_t n = std::min(size - at, kBlockBytes);
      out.put(file.bytes().subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(n)));
      file.release_first(at + n);
    }
  }

  [[noreturn]] static void refuse(const Verification& found, const std::string& path) {
    const Status& status = !found.header_status.ok() ? found.header_status
                           : !found.damage.empty()   ? found.damage.front().status
                                                     : found.trailer_status;
    fail_corrupt(path, message_of(status) + " (--force makes a new trailer of what it decodes to)");
  }

  void report(const std::string& path, std::uint64_t file_bytes, std::size_t trailer_bytes) const {
    if (options_.common.quiet) return;
    if (options_.remove)
      return print_message("{}: {} bytes, no trailer", path, grouped(file_bytes));
    print_message("{}: {} bytes and a trailer of {} ({:.3f} %)", path, grouped(file_bytes),
                  grouped(trailer_bytes),
                  100 * static_cast<double>(trailer_bytes) / static_cast<double>(file_bytes));
  }

  const IndexOptions& options_;
  DecodeConfig config_;
  TrailerSpec spec_;
};

void add_options(CLI::App& command, IndexOptions& options) {
  add_argument(command, "FILE", options.inputs,
               ".pco files, folders of compress, and folders of these, which get an index");
  add_restart_option(command, options.restart);
  command.add_flag("--remove", options.remove, "Remove the trailer");
  add_overwrite_options(command, options.overwrite, options.common,
                        "Also replace trailing bytes that are not a trailer");
  add_limit_options(command, options.limits);
  add_common_options(command, options.common);
  command.footer(kIndexFooter);
}

}  // namespace

Command add_index_command(CLI::App& app) {
  const auto options = std::make_shared<IndexOptions>();
  CLI::App* command =
      app.add_subcommand("index", "Give .pco files a trailer: index, ranges, checksums");
  add_options(*command, *options);
  return {command, [options] {
            const Indexer indexer(*options);
            for (const std::string& path : options->inputs) indexer.add(path);
            return ExitCode::kDone;
          }};
}

}  // namespace numpact::cli
