// SPDX-License-Identifier: Apache-2.0
// numpact compress
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/commands.hpp"
#include "commands/common_options.hpp"
#include "commands/source.hpp"
#include "formats/formats.hpp"
#include "formats/table.hpp"
#include "io/files.hpp"
#include "io/output_file.hpp"
#include "numpact/executor.hpp"
#include "numpact/stream.hpp"
#include "numpact/trailer.hpp"
#include "pco/manifest.hpp"
#include "pco/null_file.hpp"
#include "pco/pco_file.hpp"
#include "pco/verifier.hpp"
#include "report/text_table.hpp"

namespace numpact::cli {
namespace {

constexpr const char* kCompressFooter = R"(
Examples:
  numpact compress prices.npy                            makes prices.npy.pco
  numpact compress trips.csv --column fare -o fare.pco
  numpact compress trips.parquet -o trips                every number, date and boolean column
  numpact compress ticks.raw --dtype i64 --level 12 --delta consecutive=1
  numpact compress more.npy --append -o prices.npy.pco   adds to an existing file
)";

struct CompressOptions {
  std::string input;
  std::string output;
  Overwrite overwrite;
  bool append = false;
  bool verify = false;  // no effect: it is the default
  bool no_verify = false;
  unsigned threads = 0;
  SourceArgs source;
  EncodeArgs encode;
  TrailerArgs trailer;
  CommonOptions common;
};

constexpr std::string_view kFileEnding = ".pco";

class Compressor {
 public:
  explicit Compressor(const CompressOptions& options)
      : options_(options),
        source_options_(parse_source_args(options.source, NullPolicy::kError)),
        input_name_(options.input == "-" ? "(stdin)" : options.input),
        executor_(options.threads) {
    write_options_.config = parse_encode_args(options.encode);
    write_options_.config.executor = &executor_;
    write_options_.verify = !options.no_verify;
    write_options_.progress = options.common.shows_progress();
  }

  void run() {
    table_ = open_table(options_.input, options_.source.from, source_options_);
    for (const std::string& text : table_->notes()) note(text);
    if (!table_->has_names()) {
      if (source_options_.column || !source_options_.skip.empty()) {
        fail_usage(input_name_, "this format has no columns, --column and --skip do not apply");
      }
      if (options_.source.nulls == "keep") refuse_to_keep_nulls();
      return compress_column(0);
    }
    names_ = names_of(table_->columns());
    dtypes_ = requested_dtypes(names_, input_name_, source_options_);
    for (const std::string& name : source_options_.skip) {
      skipped_.insert(find_name(names_, input_name_, name));
    }
    std::optional<std::size_t> chosen;
    if (source_options_.column) {
      chosen = find_name(names_, input_name_, *source_options_.column);
    }
    if (makes_folder(chosen.has_value())) return compress_table(chosen);
    compress_column(chosen.value_or(0));
  }

 private:
  // A table becomes a folder. A single column becomes a file if it is requested by name, or if it
  // is the only column and the output is named like a file. Keeping its nulls requires a folder.
  bool makes_folder(bool column_is_chosen) const {
    const std::string& output = options_.output;
    const bool is_file_name = output == "-" || output.ends_with(kFileEnding);
    const bool is_file = column_is_chosen || (names_.size() == 1 && is_file_name);
    if (!is_file || options_.source.nulls != "keep") return !is_file;
    if (output.empty() || is_file_name) refuse_to_keep_nulls();
    return true;
  }

  [[noreturn]] static void refuse_to_keep_nulls() {
    fail_usage("--nulls", "a .pco file cannot keep nulls, the folder of a table does (-o FOLDER)");
  }
  void note(const std::string& text) const {
    if (!options_.common.quiet) print_message(fmt::format("{}: {}", input_name_, text));
  }

  std::string place_of(const Column& column) const {
    return table_->has_names() ? column_place(input_name_, column.name) : input_name_;
  }

  void report(const std::string& output, const Column& column, const WrittenFile& written) const {
    if (options_.common.quiet || output == "-") return;
    if (options_.append) {
      print_message(fmt::format("{}: {} {} numbers appended", output, grouped(written.count),
                                name_of(column.type)));
      return;
    }
    const std::string trailer =
        written.trailer_bytes == 0
            ? ""
            : fmt::format(", {} of them the trailer", grouped(written.trailer_bytes));
    print_message(
        fmt::format("{}: {} {} numbers, {}{}", output, grouped(written.count), name_of(column.type),
                    size_text(written.count * size_of(column.type), written.bytes), trailer));
  }

  std::string output_for_column(const Column& column) const {
    if (!options_.output.empty()) return options_.output;
    if (options_.input == "-") return "-";
    if (!table_->has_names()) return options_.input + ".pco";
    std::set<std::string> taken;
    return options_.input + "." + column_file_name(column.name, taken);
  }

  std::optional<NumberType> dtype_of(std::size_t index) const {
    return table_->has_names() ? dtypes_[index] : source_options_.dtype;
  }

  void compress_column(std::size_t index) {
    Column column;
    const std::unique_ptr<NumberInput> numbers =
        open_column(*table_, index, input_name_, dtype_of(index), column);
    require_config_fits(column.type, write_options_.config, place_of(column));
    const std::string output = output_for_column(column);
    refuse_same_file(options_.input, output);
    write_options_.config.trailer = parse_trailer_args(options_.trailer, output == "-");
    if (options_.append && output == "-") fail_usage("--append", "needs a file to add to (-o)");
    std::unique_ptr<OutputFile> file;
    if (options_.append) {
      FileLock lock = lock_existing(output, options_.overwrite);  // before its end is read
      append_to(lock.path(), output);
      file = std::make_unique<OutputFile>(std::move(lock), output);
    } else {
      file = std::make_unique<OutputFile>(output, options_.overwrite, Content::kBinary);
    }
    const WrittenFile written =
        write_pco(*numbers, column.type, *file, write_options_, place_of(column));
    file->commit();
    report(output, column, written);
    note_lost_metadata(column);
    note_dropped(column, *numbers);
  }

  // Reports metadata of the table that a file of numbers cannot store.
  void note_lost_metadata(const Column& column) const {
    if (!table_->has_names()) return;
    for (const auto& [key, value] : column.metadata) {
      if (key != "ARROW:extension:name") continue;
      note(fmt::format("column '{}': the extension type {} is not kept (a folder keeps it)",
                       column.name, value));
    }
  }

  // Keeps the existing restart points unless others were requested.
  void append_to(const std::string& path, const std::string& name) {
    write_options_.append_to = open_file(path);
    write_options_.append_name = name;
    if (!(write_options_.config.trailer == TrailerSpec::index())) return;
    const FileBytes file(write_options_.append_to);
    std::optional<Trailer> old;
    // A damaged trailer is refused later, when the file is copied.
    if (!Trailer::read(file.bytes()).into(old).ok() || !old || !old->restart_log()) return;
    write_options_.config.trailer = TrailerSpec::restarts(*old->restart_log());
  }

  void note_dropped(const Column& column, const NumberInput& numbers) const {
    if (numbers.null_count() == 0) return;
    note(fmt::format("column '{}': {} nulls left out", column.name, grouped(numbers.null_count())));
  }

  // `chosen`: the only column to compress, if one was requested.
  void compress_table(std::optional<std::size_t> chosen) {
    if (options_.append) fail_usage("--append", "a table needs --column");
    std::string output = options_.output;
    if (output.empty() && options_.input != "-") output = options_.input + ".pco";
    if (output.empty() || output == "-") {
      fail_usage(input_name_, "a whole table becomes a folder: give -o FOLDER or --column NAME");
    }
    refuse_same_file(options_.input, output);
    write_options_.config.trailer = parse_trailer_args(options_.trailer, false);
    table_->set_nulls(options_.source.nulls.empty() ? NullPolicy::kKeep : source_options_.nulls);
    choose_columns(chosen);

    OutputFolder folder(output, options_.overwrite);
    Manifest manifest;
    manifest.metadata = table_->metadata();
    std::set<std::string> taken;
    WrittenFile total;
    std::uint64_t raw_bytes = 0;
    for (std::size_t i = 0; i < table_->columns().size(); ++i) {
      if (!reasons_[i].empty()) {
        const Column& source = table_->columns()[i];
        manifest.skipped.push_back({source.name, source.source_type, reasons_[i]});
        note(fmt::format("column '{}' is left out: {}", source.name, reasons_[i]));
        continue;
      }
      const ManifestColumn entry = compress_into(folder, i, taken, total);
      require_same_rows(manifest, entry);
      raw_bytes += entry.count * size_of(entry.column.type);
      manifest.columns.push_back(entry);
    }
    OutputFile file(folder.path_of(kManifestName), false, Content::kText);
    file.put(manifest_text(manifest));
    file.commit(TemporaryPath::Sync::kLater);
    folder.commit();
    if (options_.common.quiet) return;
    print_message(fmt::format("{}: {} columns, {}", output, manifest.columns.size(),
                              size_text(raw_bytes, total.bytes)));
  }

  // Guards against sources that change while they are read: all columns must have the same rows.
  void require_same_rows(const Manifest& manifest, const ManifestColumn& entry) const {
    if (manifest.columns.empty()) return;
    const ManifestColumn& first = manifest.columns[0];
    const std::uint64_t rows = entry.rows() + entry.nulls_dropped;
    const std::uint64_t expected = first.rows() + first.nulls_dropped;
    if (rows == expected) return;
    throw Failure(ExitCode::kFailure, place_of(entry.column),
                  fmt::format("has {} rows, column '{}' has {}: did the file change while it was "
                              "read?",
                              rows, first.column.name, expected));
  }

  // Dates and booleans keep their type whatever --dtype says.
  std::optional<NumberType> dtype_for(std::size_t index) const {
    const Column& column = table_->columns()[index];
    return column.logical.kind == LogicalKind::kNumber ? dtypes_[index] : std::nullopt;
  }

  // Decides which columns are left out, and why, before anything is written.
  void choose_columns(std::optional<std::size_t> chosen) {
    reasons_.resize(names_.size());
    std::string all;
    bool any = false;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const Column& column = table_->columns()[i];
      reasons_[i] = column.unfit;
      if (skipped_.contains(i)) reasons_[i] = kSkipped;
      if (chosen && *chosen != i) reasons_[i] = "was not asked for";
      if (reasons_[i].empty()) {
        any = true;
        require_config_fits(dtype_for(i).value_or(column.type), write_options_.config,
                            place_of(column));
      } else {
        all += fmt::format("{}'{}': {}", all.empty() ? ": " : "; ", column.name, reasons_[i]);
      }
    }
    if (!any) {
      throw Failure(ExitCode::kFailure, input_name_, "no column can be compressed" + all);
    }
  }

  ManifestColumn compress_into(const OutputFolder& folder, std::size_t index,
                               std::set<std::string>& taken, WrittenFile& total) {
    ManifestColumn entry;
    const std::unique_ptr<NumberInput> numbers =
        open_column(*table_, index, input_name_, dtype_for(index), entry.column);
    const std::string place = place_of(entry.column);
    entry.file = column_file_name(entry.column.name, taken);
    OutputFile file(folder.path_of(entry.file), false, Content::kBinary);
    NullFileWriter null_file;
    NullRuns* const runs = numbers->null_runs();
    WriteOptions write_options = write_options_;
    if (runs != nullptr) write_options.after_block = [&] { null_file.take(*runs); };
    const WrittenFile written = write_pco(*numbers, entry.column.type, file, write_options, place);
    file.commit(TemporaryPath::Sync::kLater);
    entry.count = written.count;
    total.bytes += written.bytes;
    if (runs == nullptr) {
      entry.nulls_dropped = numbers->null_count();
      note_dropped(entry.column, *numbers);
    } else if (runs->nulls() > 0) {
      runs->finish();
      null_file.take(*runs);
      entry.null_count = runs->nulls();
      entry.null_file = null_file_name(entry.file);
      total.bytes += null_file.write(folder.path_of(entry.null_file), write_options_, place).bytes;
    }
    return entry;
  }

  const CompressOptions& options_;
  InputOptions source_options_;
  std::string input_name_;
  ThreadExecutor executor_;  // shared by all columns
  WriteOptions write_options_;
  std::unique_ptr<TableInput> table_;
  std::vector<std::string> names_;  // column names
  std::vector<std::optional<NumberType>> dtypes_;
  std::set<std::size_t> skipped_;
  std::vector<std::string> reasons_;  // why each column is left out; empty if it is not
};

void add_options(CLI::App& command, CompressOptions& options) {
  command.add_option("FILE", options.input, "Input file; - is standard input")
      ->required()
      ->type_name("");
  command
      .add_option("-o,--output", options.output,
                  "The .pco file, - for standard output, or a folder for a whole table")
      ->type_name("PATH");
  add_overwrite_options(command, options.overwrite, options.common);
  add_encode_options(command, options.encode);
  add_source_options(command, options.source);
  command.add_flag("--flatten", options.source.flatten, "Flatten an array of several dimensions");
  command.add_flag("--append", options.append, "Append to an existing .pco file");
  command.add_flag("--verify", options.verify, "Decode what is written and compare (the default)");
  command.add_flag("--no-verify", options.no_verify, "Skip the verification");
  command.add_flag("--trailer", options.trailer.requested,
                   "Append an index and checksums to the file (the default for files)");
  command.add_flag("--no-trailer", options.trailer.omitted, "Write no trailer");
  add_restart_option(command, options.trailer.restart);
  add_thread_option(command, options.threads, "encode");
  add_common_options(command, options.common);
  command.footer(kCompressFooter);
}

}  // namespace

Command add_compress_command(CLI::App& app) {
  const auto options = std::make_shared<CompressOptions>();
  CLI::App* command =
      app.add_subcommand("compress", "Compress numbers, or columns of a table, to Pco");
  add_options(*command, *options);
  return {command, [options] {
            Compressor(*options).run();
            return ExitCode::kDone;
          }};
}

}  // namespace numpact::cli
