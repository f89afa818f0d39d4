// SPDX-License-Identifier: Apache-2.0
// numpact index
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "files.hpp"
#include "manifest.hpp"
#include "numpact/trailer.hpp"
#include "output_file.hpp"
#include "progress_bar.hpp"
#include "table_folder.hpp"

namespace numpact::cli {
namespace {

class Indexer {
 public:
  explicit Indexer(const IndexOptions& options)
      : options_(options), config_(parse_limit_words(options.limits)) {
    TrailerWords words;
    words.wanted = true;
    words.restart = options.restart;
    if (options.remove && !options.restart.empty()) {
      fail_usage("--remove", "contradicts --restart");
    }
    spec_ = options.remove ? TrailerSpec::none() : parse_trailer_words(words, false);
  }

  void add(const std::string& path) const {
    if (!is_folder(path)) return add_to_file(path);
    const TableFolder folder(path);
    for (const ManifestColumn& column : folder.manifest().columns) {
      add_to_member(folder, column.file);
      if (column.null_count > 0) add_to_member(folder, column.null_file);
    }
  }

 private:
  // A file of a folder, which no link leads out of by the time that its lock is taken.
  void add_to_member(const TableFolder& folder, const std::string& name) const {
    const std::string path = folder.path_of(name);
    static_cast<void>(folder.file(name));
    FileLock lock = lock_existing(path, options_.overwrite);
    if (folder_of(lock.path()) != followed(folder_of(path))) {
      throw Failure(ExitCode::kCorrupt, path, "corrupt: is a link that leads out of the folder");
    }
    add_to_locked(std::move(lock), path);
  }

  void add_to_file(const std::string& path) const {
    add_to_locked(lock_existing(path, options_.overwrite), path);
  }

  // What is read now is replaced.
  void add_to_locked(FileLock lock, const std::string& path) const {
    const FileBytes file(lock.path());
    std::optional<Trailer> old;
    const Status status = Trailer::try_read(file.bytes(), old);
    if (!status.ok() && !options_.overwrite.is_allowed) {
      throw Failure(ExitCode::kCorrupt, path,
                    message_of(status) + " (--force makes a new trailer)");
    }
    // A file that is not what its trailer says would get one that says it is sound.
    DecodeConfig config = config_;
    config.progress = file.releasing();
    Verification found;
    if (old) {
      check(try_verify(file.bytes(), found, config), path);
      if (!found.is_sound() && !options_.overwrite.is_allowed) refuse(found, path);
    }
    if (options_.overwrite.is_allowed) config.trailer = TrailerPolicy::kIgnore;
    std::vector<std::byte> trailer;
    std::uint64_t file_bytes = 0;
    check(Trailer::try_make(file.bytes(), spec_, trailer, file_bytes, config), path);
    const std::uint64_t rest = file.bytes().size() - file_bytes;
    if (!old && rest > 0 && !options_.overwrite.is_allowed) {
      throw Failure(ExitCode::kFailure, path,
                    fmt::format("{} bytes follow that are no trailer (--force drops them)", rest));
    }
    OutputFile out(std::move(lock), path);
    copy_first(file, file_bytes, out);
    out.put(trailer);
    out.commit();
    report(path, file_bytes, trailer.size());
  }

  static void copy_first(const FileBytes& file, std::uint64_t size, OutputFile& out) {
    constexpr std::uint64_t kPieceBytes = std::uint64_t{4} << 20;
    for (std::uint64_t at = 0; at < size; at += kPieceBytes) {
      const std::uint64_t n = std::min(size - at, kPieceBytes);
      out.put(file.bytes().subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(n)));
      file.release_first(at + n);
    }
  }

  [[noreturn]] static void refuse(const Verification& found, const std::string& path) {
    const Status& status = !found.header_status.ok() ? found.header_status
                           : !found.damage.empty()   ? found.damage.front().status
                                                     : found.trailer_status;
    throw Failure(ExitCode::kCorrupt, path,
                  message_of(status) + " (--force makes a new trailer of what it decodes to)");
  }

  void report(const std::string& path, std::uint64_t file_bytes, std::size_t trailer_bytes) const {
    if (options_.common.quiet) return;
    if (options_.remove) return say(fmt::format("{}: {} bytes, no trailer", path, file_bytes));
    say(fmt::format("{}: {} bytes and a trailer of {} ({:.3f} %)", path, file_bytes, trailer_bytes,
                    100 * static_cast<double>(trailer_bytes) / static_cast<double>(file_bytes)));
  }

  const IndexOptions& options_;
  DecodeConfig config_;
  TrailerSpec spec_;
};

}  // namespace

ExitCode run_index(const IndexOptions& options) {
  const Indexer indexer(options);
  for (const std::string& path : options.inputs) indexer.add(path);
  return ExitCode::kDone;
}

}  // namespace numpact::cli
