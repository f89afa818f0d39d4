// SPDX-License-Identifier: Apache-2.0
// numpact verify
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "column_rows.hpp"
#include "commands.hpp"
#include "files.hpp"
#include "manifest.hpp"
#include "numpact/inspect.hpp"
#include "output_file.hpp"
#include "pco_file.hpp"
#include "progress_bar.hpp"

namespace numpact::cli {
namespace {

// Of a chunk, before its metadata: number type and count.
constexpr std::uint64_t kChunkPreambleBytes = 4;

// How far a file is sound that has an error, in words.
std::string sound_part(const std::string& path, const Status& error) {
  const FileBytes file(path);
  FileInfo info;
  static_cast<void>(try_inspect(file.bytes(), info));
  std::size_t chunks = info.chunks.size();
  if (error.chunk() != Status::kNoOffset) {
    chunks = std::min(chunks, static_cast<std::size_t>(error.chunk()));
  }
  if (chunks == 0) return "no chunk before is good";
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < chunks; ++i) count += info.chunks[i].count;
  const ChunkInfo& last = info.chunks[chunks - 1];
  const std::uint64_t end = last.offset + kChunkPreambleBytes + last.meta_bytes + last.page_bytes;
  return fmt::format("good before: {} chunk{}, {} numbers, {} bytes", chunks,
                     chunks == 1 ? "" : "s", count, end);
}

class Checker {
 public:
  explicit Checker(const VerifyOptions& options)
      : options_(options), config_(parse_limit_words(options.limits)) {
    config_.threads = options.threads;
  }

  // Checks one file or folder; errors are printed and remembered.
  void check_input(const std::string& path) {
    guarded([&] {
      if (is_folder(path)) {
        check_folder(path);
      } else {
        check_file(path, nullptr);
      }
    });
  }

  ExitCode exit_code() const { return worst_; }

 private:
  // Prints what goes wrong and goes on.
  template <class Function>
  void guarded(Function&& function) {
    try {
      function();
    } catch (const Failure& failure) {
      say(failure.what());
      worst_ = worse(worst_, failure.code());
    }
  }

  static ExitCode worse(ExitCode a, ExitCode b) {
    const auto rank = [](ExitCode code) {
      switch (code) {
        case ExitCode::kDone:
          return 0;
        case ExitCode::kFailure:
        case ExitCode::kUsage:
          return 1;
        case ExitCode::kLimit:
          return 2;
        case ExitCode::kCorrupt:
          break;
      }
      return 3;
    };
    return rank(a) >= rank(b) ? a : b;
  }

  void check_folder(const std::string& path) {
    const Manifest manifest = read_manifest(path);
    for (const ManifestColumn& column : manifest.columns) {
      guarded([&] { check_file(path + "/" + column.file, &column); });
      if (column.null_count > 0) guarded([&] { check_nulls(path, column); });
    }
  }

  // The file of a column's nulls, and that it has as many rows of both kinds as the manifest says.
  void check_nulls(const std::string& folder, const ManifestColumn& column) {
    const std::string path = folder + "/" + column.null_file;
    check_file(path, nullptr);
    RunReader runs(path, path, config_);
    std::uint64_t rows[2] = {0, 0};  // with numbers, null
    for (;;) {
      const RunReader::Run run = runs.next(std::numeric_limits<std::uint64_t>::max());
      if (run.rows == 0) break;
      std::uint64_t& sum = rows[run.is_null ? 1 : 0];
      if (__builtin_add_overflow(sum, run.rows, &sum)) {
        throw Failure(ExitCode::kCorrupt, path, "corrupt: there are more rows than can be counted");
      }
    }
    if (rows[0] == column.count && rows[1] == column.null_count) return;
    throw Failure(
        ExitCode::kCorrupt, path,
        fmt::format("corrupt: holds runs of {} numbers and {} nulls, the manifest says {} "
                    "and {}",
                    rows[0], rows[1], column.count, column.null_count));
  }

  void check_file(const std::string& path, const ManifestColumn* expected) {
    if (has_trailer(path)) return check_by_trailer(path, expected);
    auto input = std::make_unique<Input>(path);
    const std::optional<std::uint64_t> size = input->size();
    const std::string place = input->name();
    PcoNumbers numbers(std::move(input), place, config_);
    ProgressBar progress(place, std::nullopt, options_.common.shows_progress());
    std::uint64_t count = 0;
    for (;;) {
      NumberView piece;
      const Status status = numbers.try_next(piece);
      if (!status.ok()) refuse(status, path, place, size.has_value());
      if (piece.count == 0) break;
      count += piece.count;
      progress.add(piece.count, bytes_of(piece).size());
    }
    TrailerState state = TrailerState::kNone;
    const Status trailer = numbers.try_check_trailer(state);
    if (!trailer.ok()) refuse(trailer, path, place, false);
    refuse_state(state, place, "");
    if (expected != nullptr)
      compare(numbers.type().value_or(expected->column.type), count, place, *expected);
    const std::string words = state == TrailerState::kSound ? "; checksums match" : "";
    print_sound(place, numbers.type(), count, numbers.bytes_consumed(), words);
  }

  // With it all chunks are looked at, whatever became of others.
  void check_by_trailer(const std::string& path, const ManifestColumn* expected) {
    const FileBytes file(path);
    DecodeConfig config = config_;
    config.progress = file.releasing();
    Verification found;
    check(try_verify(file.bytes(), found, config), path);
    for (const std::string& line : losses(found)) say(fmt::format("{}: {}", one_line(path), line));
    if (!found.header_status.ok()) {
      throw Failure(ExitCode::kCorrupt, path, found.header_status.message());
    }
    const std::uint64_t count = found.index.count();
    if (!found.damage.empty()) {
      throw Failure(
          ExitCode::kCorrupt, path,
          fmt::format("corrupt: {} of {} numbers in {} of {} chunks are good", found.sound_count,
                      count, found.index.chunks().size() - found.damage.size(),
                      found.index.chunks().size()));
    }
    refuse_state(found.trailer, path, found.trailer_status.message());
    if (expected != nullptr) {
      compare(found.type.value_or(expected->column.type), count, path, *expected);
    }
    print_sound(path, found.type, count, found.file_bytes,
                fmt::format(" and a trailer of {}; checksums match", found.trailing_bytes));
  }

  // Bytes that end like one, or a trailer; false for what can be read only once.
  static bool has_trailer(const std::string& path) {
    if (!Input(path).size()) return false;
    const FileBytes file(path);
    std::optional<Trailer> trailer;
    return !Trailer::try_read(file.bytes(), trailer).ok() || trailer;
  }

  static void refuse_state(TrailerState state, const std::string& place, const std::string& why) {
    const std::string reason = why.empty() ? "" : " (" + why + ")";
    if (state == TrailerState::kDamaged) {
      throw Failure(ExitCode::kCorrupt, place,
                    "corrupt: the numbers can be decoded, but the trailer is damaged" + reason);
    }
    if (state == TrailerState::kUnrecognised) {
      throw Failure(ExitCode::kCorrupt, place,
                    "corrupt: the numbers can be decoded, but bytes follow that are no trailer");
    }
  }

  [[noreturn]] static void refuse(const Status& status, const std::string& path,
                                  const std::string& place, bool is_regular) {
    const ExitCode code = exit_code_of(status.kind());
    std::string message = status.message();
    if (code == ExitCode::kCorrupt && is_regular) message += "; " + sound_part(path, status);
    throw Failure(code, place, message);
  }

  static void compare(NumberType type, std::uint64_t count, const std::string& place,
                      const ManifestColumn& expected) {
    if (type != expected.column.type || count != expected.count) {
      throw Failure(ExitCode::kCorrupt, place,
                    fmt::format("corrupt: holds {} {} numbers, the manifest says {} {}", count,
                                name_of(type), expected.count, name_of(expected.column.type)));
    }
  }

  void print_sound(const std::string& place, const std::optional<NumberType>& type,
                   std::uint64_t count, std::uint64_t bytes, const std::string& words) const {
    if (options_.common.quiet) return;
    const std::string type_name = type ? std::string(name_of(*type)) + " " : "";
    OutputFile out("-", false, Content::kText);
    out.put(fmt::format("{}: OK, {} {}numbers, {} bytes{}\n", one_line(place), count, type_name,
                        bytes, words));
    out.commit();
  }

  const VerifyOptions& options_;
  DecodeConfig config_;
  ExitCode worst_ = ExitCode::kDone;
};

}  // namespace

ExitCode run_verify(const VerifyOptions& options) {
  Checker checker(options);
  for (const std::string& path : options.inputs) checker.check_input(path);
  return checker.exit_code();
}

}  // namespace numpact::cli
