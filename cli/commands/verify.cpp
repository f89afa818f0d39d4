// SPDX-License-Identifier: Apache-2.0
// numpact verify
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "commands/commands.hpp"
#include "commands/common_options.hpp"
#include "formats/other_blocks.hpp"
#include "formats/others.hpp"
#include "io/cleanup.hpp"
#include "io/files.hpp"
#include "io/output_file.hpp"
#include "numpact/inspect.hpp"
#include "pco/manifest.hpp"
#include "pco/pco_file.hpp"
#include "pco/table_folder.hpp"
#include "report/print.hpp"
#include "report/progress_bar.hpp"
#include "report/text_table.hpp"
#include "report/verify_report.hpp"

namespace numpact::cli {
namespace {

constexpr const char* kVerifyFooter = R"(
Examples:
  numpact verify fare.pco                                structure, checksums, all numbers
  numpact verify trips old.pco                           files and folders
  numpact verify trips --json                            for programs
  numpact verify --add-checksums trips                   of text columns, if an old folder has none
  numpact verify from_elsewhere.pco --max-output 2G
)";

struct VerifyOptions {
  std::vector<std::string> inputs;
  bool json = false;
  bool add_checksums = false;
  unsigned threads = 0;
  Overwrite overwrite;  // only its lock
  LimitArgs limits;
  CommonOptions common;
};

// Describes the intact prefix of a damaged file.
std::string valid_prefix(const FileRef& ref) {
  const FileBytes file(ref);
  DecodeConfig config;
  config.trailer = TrailerPolicy::kIgnore;
  Verification found;
  static_cast<void>(verify(file.bytes(), config).into(found));
  if (found.damage.empty() || found.damage[0].chunk == 0) return "no chunk before is good";
  const std::uint64_t chunks = found.damage[0].chunk;
  return fmt::format("good before: {} chunk{}, {} numbers, {} bytes", chunks,
                     chunks == 1 ? "" : "s", found.sound_count, found.good_bytes);
}

// What the manifest says of a file of numbers.
struct Expected {
  std::string column;
  NumberType type = NumberType::kU8;
  std::uint64_t count = 0;
  table::FileSum sum;
};

class Checker {
 public:
  explicit Checker(const VerifyOptions& options)
      : options_(options), config_(parse_limit_args(options.limits)) {
    config_.threads = options.threads;
  }

  ExitCode run() {
    for (const std::string& path : options_.inputs) check_input(path);
    if (options_.json) print_report(dump(files_));
    return worst_;
  }

 private:
  // Checks one file or folder. Errors are printed or recorded.
  void check_input(const std::string& path) {
    guarded(path, [&] {
      if (is_folder(path)) {
        check_folder(path);
      } else {
        check_one(open_file(path), nullptr);
      }
    });
  }

  // Reports a failure and continues.
  template <class Function>
  void guarded(const std::string& path, Function&& function) {
    VerifiedFile file;
    file.path = path;
    record(file, path, [&] { return function(), false; });
  }

  // Reports a failure, or what is found of a file if the function returns true, and continues.
  template <class Function>
  void record(VerifiedFile& found, const std::string& place, Function&& function) {
    bool is_known = true;
    try {
      is_known = function();
    } catch (const Failure& failure) {
      worst_ = worse(worst_, failure.code());
      if (!options_.json) return print_message(failure.what());
      if (!found.error) found.error = error_of(failure, place);
    }
    if (options_.json && is_known) files_.push_back(verified_json(found));
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
    if (options_.add_checksums) return add_checksums(path);
    check_files(TableFolder(path));
  }

  void check_files(const TableFolder& folder) {
    for (const ManifestColumn& column : folder.manifest().columns) {
      for (const table::NumberPart& part : column.all_parts()) check_part(folder, column, part);
      if (!column.text.empty()) check_texts(folder, column);
    }
    for (const ManifestOther& other : folder.manifest().others) check_other(folder, other);
  }

  // Replaces the manifest by one with checksums if all files of the folder are sound.
  void add_checksums(const std::string& path) {
    const internal::platform::FolderTurn turn = wait_for_turn(path, options_.overwrite);
    const std::string place = path + "/" + kManifestName;
    FileLock lock = lock_existing(place, options_.overwrite);
    if (folder_of(lock.path()) != resolve_links(path)) {
      fail_corrupt(place, "corrupt: is a link that leads out of the folder");
    }
    std::optional<TableFolder> table(path);
    const ExitCode before = std::exchange(worst_, ExitCode::kDone);
    check_files(*table);
    const bool is_sound = worst_ == ExitCode::kDone;
    worst_ = worse(worst_, before);
    if (!is_sound) {
      if (options_.json) return;
      return print_message("{}: no checksums are added, since it is damaged", path);
    }
    const std::string text = with_checksums(*table);
    if (text.empty()) return;
    table.reset();  // Windows replaces no file that is open
    OutputFile file(std::move(lock), place);
    file.put(text);
    file.commit();
  }

  // The manifest with the checksums that are missing; empty if none is.
  std::string with_checksums(const TableFolder& table) const {
    Manifest manifest = table.manifest();
    std::uint64_t added = 0;
    for (ManifestOther& other : manifest.others) {
      table::Part& part = other.parts.front();  // the only one
      if (part.has_checksums()) continue;
      const std::string place = column_place(table.path_of(part.file), other.name);
      if (!has_arrow()) {
        fail(place, "checksums are added by a program with Arrow");
      }
      const FileBytes bytes(table.file(part.file));
      check(table::checked_part(part.file, bytes.bytes(), part.rows).into(part), place);
      ++added;
    }
    const std::string path = table.path_of(kManifestName);
    if (!options_.common.quiet && !options_.json) {
      print_message(added == 0
                        ? fmt::format("{}: no checksum is missing", path)
                        : fmt::format("{}: checksums of {} added", path, counted(added, "column")));
    }
    return added == 0 ? "" : manifest_text(manifest, path);
  }

  // Checks that a column that Pco cannot hold has the bytes that its checksums are of, and decodes
  // to the rows of the table. Arrow does the latter.
  void check_other(const TableFolder& folder, const ManifestOther& other) {
    for (const table::Part& part : other.parts) check_other_part(folder, other, part);
    if (other.parts.size() < 2 || !has_arrow() || worst_ != ExitCode::kDone) return;
    // That they fit each other.
    guarded(folder.path_of(other.first_file()),
            [&] { static_cast<void>(open_others({folder.other(other)})); });
  }

  void check_other_part(const TableFolder& folder, const ManifestOther& other,
                        const table::Part& part) {
    const std::string path = folder.path_of(part.file);
    const std::string place = column_place(path, other.name);
    VerifiedFile found;
    found.path = path;
    found.column = other.name;
    record(found, place, [&] {
      const OtherFile file{other.name, folder.file(part.file), part.rows, part, ""};
      found.bytes = file.file->size().value_or(0);
      found.checksums = "none";
      if (file.part.has_checksums()) {
        found.checksums = "damaged";
        check_blocks(FileBytes(file.file).bytes(), file.part, place);
        found.checksums = "sound";
      }
      // As for the numbers, the limits apply to each file.
      if (has_arrow())
        open_others({{file}}, std::make_shared<ValueLimits>(config_.limits))->check(0);
      if (!options_.json) report_other(file, other, *found.checksums == "sound");
      return has_arrow() || file.part.has_checksums();
    });
  }

  void report_other(const OtherFile& file, const ManifestOther& other, bool has_checksums) const {
    const std::string& path = file.file->name();
    const std::string result = has_checksums ? "checksums match" : "no checksum";
    if (!has_arrow()) {
      return print_message("{}: {}; not decoded: values of type {} need Arrow",
                           column_place(path, other.name), result, other.type);
    }
    if (options_.common.quiet) return;
    print_report(fmt::format("{}: OK, {} rows of type {}, {} bytes; {}\n", one_line(path),
                             file.rows, one_line(other.type), file.file->size().value_or(0),
                             result));
  }

  // Checks the numbers of a part, and its null file: u64 numbers whose runs match the manifest.
  void check_part(const TableFolder& folder, const ManifestColumn& column,
                  const table::NumberPart& part) {
    const std::string& name = column.name;
    guarded(folder.path_of(part.file), [&] {
      const Expected numbers{name, column.type, part.count, part.sum};
      check_one(folder.file(part.file), &numbers);
    });
    if (part.null_count == 0) return;
    guarded(folder.path_of(part.null_file), [&] {
      const FileRef file = folder.file(part.null_file);
      const Expected runs{name, NumberType::kU64, count_runs(file, part), part.null_sum};
      check_one(file, &runs);
    });
  }

  // How many runs of nulls there are. Fails if they contradict the manifest.
  std::uint64_t count_runs(const FileRef& file, const table::NumberPart& part) const {
    const std::string& place = file->name();
    DecodeConfig config = config_;
    config.limits = walk_limits(config.limits, file->size().value_or(0));  // those of the rows
    PcoNumbers numbers(std::make_unique<Input>(file), place, config, NumberType::kU64);
    if (numbers.type() != NumberType::kU64) {
      fail_corrupt(place, "corrupt: holds {} numbers, not the u64 lengths of runs",
                   name_of(*numbers.type()));
    }
    table::NullRunCheck runs(part.count, part.null_count);
    std::uint64_t count = 0;
    for (NumberView block = numbers.next(); block.count > 0; block = numbers.next()) {
      check(runs.add({static_cast<const std::uint64_t*>(block.data), block.count}), place);
      count += block.count;
    }
    check(runs.finish(), place);
    return count;
  }

  // Checks the texts of a column, and that its numbers are places among them.
  void check_texts(const TableFolder& folder, const ManifestColumn& column) {
    const table::TextFile& texts = column.text[0];
    const std::string place = column_place(folder.path_of(texts.file), column.name);
    VerifiedFile found;
    found.path = folder.path_of(texts.file);
    found.column = column.name;
    record(found, place, [&] {
      const FileRef file = folder.file(texts.file);
      const FileBytes bytes(file);
      found.bytes = bytes.bytes().size();
      found.checksums = "damaged";
      compare_sum(texts.sum, file);
      found.checksums = "sound";
      check(table::TextValues::parse(bytes.bytes(), texts.count, is_bytes(texts.type)).status(),
            place);
      for (const table::NumberPart& part : column.all_parts()) {
        PcoNumbers numbers(std::make_unique<Input>(folder.file(part.file)), place, config_);
        for (NumberView block = numbers.next(); block.count > 0; block = numbers.next()) {
          if (largest_of(block) < texts.count) continue;
          fail_corrupt(column_place(folder.path_of(part.file), column.name),
                       "corrupt: a number is no place of a text");
        }
      }
      if (!options_.json && !options_.common.quiet) {
        print_report(fmt::format("{}: OK, {} texts of type {}, {} bytes; checksums match\n",
                                 one_line(found.path), grouped(texts.count), type_text(texts),
                                 grouped(found.bytes)));
      }
      return true;
    });
  }

  static std::uint64_t largest_of(const NumberView& numbers) {
    std::uint64_t largest = 0;
    const std::span<const std::byte> bytes = bytes_of(numbers);
    const std::size_t size = size_of(numbers.type);
    for (std::size_t i = 0; i < bytes.size(); i += size) {
      std::uint64_t number = 0;
      std::memcpy(&number, &bytes[i], size);
      largest = std::max(largest, number);
    }
    return largest;
  }

  void check_one(const FileRef& ref, const Expected* expected) {
    if (!options_.json && !has_trailer(ref)) return check_in_order(ref, expected);
    const std::string& place = ref->name();
    VerifiedFile file;
    file.path = ref->path();
    if (expected != nullptr) file.column = expected->column;
    record(file, place, [&] {
      const FileBytes bytes(ref);
      file.bytes = bytes.bytes().size();
      Verification found;
      const Status status = verify_file(bytes, place, found);
      if (!status.ok()) file.error = error_of(status);
      check(status, place);
      file.found = std::move(found);
      file.error = error_of(*file.found);
      check_found(*file.found, ref, expected);
      return true;
    });
  }

  // The trailer allows checking every chunk, even after a damaged one.
  void check_found(const Verification& found, const FileRef& ref, const Expected* expected) const {
    const std::string& path = ref->name();
    for (const std::string& line : losses(found)) {
      if (!options_.json) print_message("{}: {}", path, line);
    }
    refuse_damaged(found, path);
    const std::uint64_t count = found.index.count();
    if (expected != nullptr) compare(found.type.value_or(expected->type), count, ref, *expected);
    if (options_.json) return;
    print_ok(path, found.type, count, found.file_bytes,
             fmt::format(" and a trailer of {}; checksums match", grouped(found.trailing_bytes)));
  }

  // Of a file without a trailer, which may be a pipe.
  void check_in_order(const FileRef& file, const Expected* expected) const {
    const std::string& place = file->name();
    PcoNumbers numbers(std::make_unique<Input>(file), place, config_);
    // The count in a header is a hint; 0 if there is none.
    const std::uint64_t hint = numbers.header().n_hint;
    ProgressBar progress(place, hint > 0 ? std::optional(hint) : std::nullopt,
                         options_.common.shows_progress());
    std::uint64_t count = 0;
    for (;;) {
      NumberView block;
      const Status status = numbers.try_next(block);
      if (!status.ok()) refuse(status, file, file->size().has_value());
      if (block.count == 0) break;
      count += block.count;
      progress.add(block.count, bytes_of(block).size());
    }
    TrailerState state = TrailerState::kNone;
    const Status trailer = numbers.check_trailer().into(state);
    if (!trailer.ok()) refuse(trailer, file, false);
    refuse_state(state, place, "");
    if (expected != nullptr) {
      compare(numbers.type().value_or(expected->type), count, file, *expected);
    }
    const std::string suffix = state == TrailerState::kSound ? "; checksums match" : "";
    print_ok(place, numbers.type(), count, numbers.bytes_consumed(), suffix);
  }

  Status verify_file(const FileBytes& file, const std::string& place, Verification& found) const {
    FileHeader header;
    const bool has_hint = read_header(file.bytes()).into(header).ok() && header.n_hint > 0;
    const std::size_t size = size_of(header.number_type.value_or(NumberType::kU8));
    ProgressBar bar(place, has_hint ? std::optional(header.n_hint) : std::nullopt,
                    options_.common.shows_progress());
    DecodeConfig config = config_;
    config.progress = [&, release = file.releasing(),
                       before = std::uint64_t{0}](const Progress& progress) mutable {
      bar.add(progress.numbers - before, (progress.numbers - before) * size);
      before = progress.numbers;
      return release(progress);
    };
    return verify(file.bytes(), config).into(found);
  }

  static void refuse_damaged(const Verification& found, const std::string& path) {
    if (!found.header_status.ok()) fail_corrupt(path, message_of(found.header_status));
    if (!found.damage.empty()) {
      fail_corrupt(path, "corrupt: {} of {} numbers in {} of {} chunks are good", found.sound_count,
                   found.index.count(), found.index.chunk_count() - found.damage.size(),
                   found.index.chunk_count());
    }
    refuse_state(found.trailer, path, message_of(found.trailer_status));
  }

  // True if the file has a trailer, or ends with bytes that look like a damaged one. False for a
  // file that can be read only once.
  static bool has_trailer(const FileRef& ref) {
    if (!ref->size()) return false;
    const FileBytes file(ref);
    std::optional<Trailer> trailer;
    return !Trailer::read(file.bytes()).into(trailer).ok() || trailer;
  }

  static void refuse_state(TrailerState state, const std::string& place, const std::string& why) {
    const std::string reason = why.empty() ? "" : " (" + why + ")";
    if (state == TrailerState::kDamaged) {
      fail_corrupt(place,
                   "corrupt: the numbers can be decoded, but the trailer is damaged" + reason);
    }
    if (state == TrailerState::kUnrecognised) {
      fail_corrupt(place,
                   "corrupt: the numbers can be decoded, but bytes follow that are not a trailer");
    }
  }

  [[noreturn]] static void refuse(const Status& status, const FileRef& file, bool is_regular) {
    const ExitCode code = exit_code_of(status.kind());
    std::string message = message_of(status);
    if (code == ExitCode::kCorrupt && is_regular && !is_other_format(status))
      message += "; " + valid_prefix(file);
    throw Failure(code, file->name(), message);
  }

  static void compare(NumberType type, std::uint64_t count, const FileRef& file,
                      const Expected& expected) {
    if (type != expected.type || count != expected.count) {
      fail_corrupt(file->name(), "corrupt: holds {} {} numbers, the manifest says {} {}", count,
                   name_of(type), expected.count, name_of(expected.type));
    }
    compare_sum(expected.sum, file);
  }

  static void compare_sum(const table::FileSum& sum, const FileRef& file) {
    if (sum.bytes == 0) return;
    const FileBytes bytes(file);
    if (bytes.bytes().size() != sum.bytes) {
      fail_corrupt(file->name(), "corrupt: has {} bytes, the manifest says {}",
                   bytes.bytes().size(), sum.bytes);
    }
    if (!sum.crc32 || checksum_of(bytes.bytes()) == *sum.crc32) return;
    fail_corrupt(file->name(), "checksum mismatch: has another checksum than the manifest says");
  }

  void print_ok(const std::string& place, const std::optional<NumberType>& type,
                std::uint64_t count, std::uint64_t bytes, const std::string& suffix) const {
    if (options_.common.quiet) return;
    const std::string type_name = type ? std::string(name_of(*type)) + " " : "";
    print_report(fmt::format("{}: OK, {} {}numbers, {} bytes{}\n", one_line(place), grouped(count),
                             type_name, grouped(bytes), suffix));
  }

  const VerifyOptions& options_;
  DecodeConfig config_;
  ExitCode worst_ = ExitCode::kDone;
  Json files_ = Json::array();
};

void add_options(CLI::App& command, VerifyOptions& options) {
  add_argument(command, "FILE", options.inputs, ".pco files and folders of compress");
  command.add_flag("--json", options.json, "Print JSON");
  command.add_flag(
      "--add-checksums", options.add_checksums,
      "Give a folder of an older version the checksums that it lacks, if all is sound");
  add_lock_option(command, options.overwrite, options.common);
  add_thread_option(command, options.threads, "decode");
  add_limit_options(command, options.limits);
  add_common_options(command, options.common);
  command.footer(kVerifyFooter);
}

}  // namespace

Command add_verify_command(CLI::App& app) {
  const auto options = std::make_shared<VerifyOptions>();
  CLI::App* command = app.add_subcommand("verify", "Decode everything and report damage");
  add_options(*command, *options);
  return {command, [options] { return Checker(*options).run(); }};
}

}  // namespace numpact::cli
