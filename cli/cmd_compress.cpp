// SPDX-License-Identifier: Apache-2.0
// numpact compress
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "files.hpp"
#include "formats.hpp"
#include "manifest.hpp"
#include "numpact/executor.hpp"
#include "numpact/stream.hpp"
#include "numpact/trailer.hpp"
#include "output_file.hpp"
#include "pco_file.hpp"
#include "source.hpp"
#include "table.hpp"
#include "verifier.hpp"

namespace numpact::cli {
namespace {

class Compressor {
 public:
  explicit Compressor(const CompressOptions& options)
      : options_(options),
        source_options_(parse_source_words(options.source)),
        input_name_(options.input == "-" ? "(stdin)" : options.input),
        executor_(options.threads) {
    write_options_.config = parse_encode_words(options.encode);
    write_options_.config.executor = &executor_;
    write_options_.verify = !options.no_verify;
    write_options_.progress = options.common.shows_progress();
  }

  void run() {
    table_ = open_table(options_.input, options_.source.from, source_options_);
    for (const std::string& text : table_->notes()) note(text);
    if (!table_->has_names() && source_options_.column) {
      fail_usage(input_name_, "this format has no columns, --column does not apply");
    }
    if (table_->has_names() && !source_options_.column) {
      compress_table();
    } else {
      compress_column(
          table_->has_names() ? find_column(*table_, input_name_, *source_options_.column) : 0);
    }
  }

 private:
  void note(const std::string& text) const {
    if (!options_.common.quiet) say(fmt::format("{}: {}", input_name_, text));
  }

  std::string place_of(const Column& column) const {
    return table_->has_names() ? column_place(input_name_, column.name) : input_name_;
  }

  void report(const std::string& output, const Column& column, const WrittenFile& written) const {
    if (options_.common.quiet || output == "-") return;
    if (options_.append) {
      say(fmt::format("{}: {} {} numbers appended", output, written.count, name_of(column.type)));
      return;
    }
    const std::string trailer =
        written.trailer_bytes == 0 ? ""
                                   : fmt::format(", {} of them the trailer", written.trailer_bytes);
    say(fmt::format("{}: {} {} numbers, {}{}", output, written.count, name_of(column.type),
                    size_text(written.count * size_of(column.type), written.bytes), trailer));
  }

  std::string output_for_column(const Column& column) const {
    if (!options_.output.empty()) return options_.output;
    if (options_.input == "-") return "-";
    if (!table_->has_names()) return options_.input + ".pco";
    std::set<std::string> taken;
    return options_.input + "." + column_file_name(column.name, taken);
  }

  void compress_column(std::size_t index) {
    Column column;
    const std::unique_ptr<NumberInput> numbers =
        open_column(*table_, index, input_name_, source_options_.dtype, column);
    require_config_fits(column.type, write_options_.config, place_of(column));
    const std::string output = output_for_column(column);
    refuse_same_file(options_.input, output);
    write_options_.config.trailer = parse_trailer_words(options_.trailer, output == "-");
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
    note_dropped(column, *numbers);
  }

  // Restart points stay as they are where nothing else was asked for.
  void append_to(const std::string& path, const std::string& name) {
    write_options_.append_to = path;
    write_options_.append_name = name;
    if (!(write_options_.config.trailer == TrailerSpec::index())) return;
    const FileBytes file(path);
    std::optional<Trailer> old;
    if (!Trailer::try_read(file.bytes(), old).ok() || !old || !old->restart_log()) return;
    write_options_.config.trailer = TrailerSpec::restarts(*old->restart_log());
  }

  void note_dropped(const Column& column, const NumberInput& numbers) const {
    if (numbers.nulls_dropped() == 0) return;
    note(fmt::format("column '{}': {} nulls left out", column.name, numbers.nulls_dropped()));
  }

  void compress_table() {
    if (options_.append) fail_usage("--append", "a table needs --column");
    std::string output = options_.output;
    if (output.empty() && options_.input != "-") output = options_.input + ".pco";
    if (output.empty() || output == "-") {
      fail_usage(input_name_, "a whole table becomes a folder: give -o FOLDER or --column NAME");
    }
    refuse_same_file(options_.input, output);
    write_options_.config.trailer = parse_trailer_words(options_.trailer, false);
    check_table_columns();

    OutputFolder folder(output, options_.overwrite, kManifestName);
    Manifest manifest;
    std::set<std::string> taken;
    WrittenFile total;
    std::uint64_t raw_bytes = 0;
    for (std::size_t i = 0; i < table_->columns().size(); ++i) {
      const Column& source = table_->columns()[i];
      if (!source.unfit.empty()) {
        manifest.skipped.push_back({source.name, source.source_type});
        note(fmt::format("column '{}' is left out: {}", source.name, source.unfit));
        continue;
      }
      const ManifestColumn entry = compress_into(folder, i, taken, total);
      raw_bytes += entry.count * size_of(entry.column.type);
      manifest.columns.push_back(entry);
    }
    OutputFile file(folder.path_of(kManifestName), false, Content::kText);
    file.put(manifest_text(manifest));
    file.commit();
    folder.commit();
    if (options_.common.quiet) return;
    say(fmt::format("{}: {} columns, {}", output, manifest.columns.size(),
                    size_text(raw_bytes, total.bytes)));
  }

  // Dates and truth values keep their type whatever --dtype says.
  std::optional<NumberType> dtype_for(const Column& column) const {
    return column.logical.kind == LogicalKind::kNumber ? source_options_.dtype : std::nullopt;
  }

  // Before anything is written.
  void check_table_columns() const {
    std::size_t fit = 0;
    for (const Column& column : table_->columns()) {
      if (!column.unfit.empty()) continue;
      ++fit;
      require_config_fits(dtype_for(column).value_or(column.type), write_options_.config,
                          place_of(column));
    }
    if (fit == 0) {
      throw Failure(ExitCode::kFailure, input_name_, "no column can be compressed");
    }
  }

  ManifestColumn compress_into(const OutputFolder& folder, std::size_t index,
                               std::set<std::string>& taken, WrittenFile& total) {
    ManifestColumn entry;
    const std::unique_ptr<NumberInput> numbers =
        open_column(*table_, index, input_name_, dtype_for(table_->columns()[index]), entry.column);
    entry.file = column_file_name(entry.column.name, taken);
    OutputFile file(folder.path_of(entry.file), false, Content::kBinary);
    const WrittenFile written =
        write_pco(*numbers, entry.column.type, file, write_options_, place_of(entry.column));
    file.commit();
    entry.count = written.count;
    entry.nulls_dropped = numbers->nulls_dropped();
    total.bytes += written.bytes;
    note_dropped(entry.column, *numbers);
    return entry;
  }

  const CompressOptions& options_;
  InputOptions source_options_;
  std::string input_name_;
  ThreadExecutor executor_;  // of all columns
  WriteOptions write_options_;
  std::unique_ptr<TableInput> table_;
};

}  // namespace

ExitCode run_compress(const CompressOptions& options) {
  Compressor(options).run();
  return ExitCode::kDone;
}

}  // namespace numpact::cli
