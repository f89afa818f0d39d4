// SPDX-License-Identifier: Apache-2.0
// numpact compress
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/append_types.hpp"
#include "commands/commands.hpp"
#include "commands/common_options.hpp"
#include "commands/compress_options.hpp"
#include "commands/dataset.hpp"
#include "commands/other_column.hpp"
#include "commands/source.hpp"
#include "formats/formats.hpp"
#include "formats/others.hpp"
#include "formats/table.hpp"
#include "io/files.hpp"
#include "io/output_file.hpp"
#include "numpact/executor.hpp"
#include "numpact/stream.hpp"
#include "numpact/table.hpp"
#include "pco/column_threads.hpp"
#include "pco/folder_writer.hpp"
#include "pco/manifest.hpp"
#include "pco/pco_file.hpp"
#include "pco/table_folder.hpp"
#include "platform/files.hpp"
#include "report/text_table.hpp"

namespace numpact::cli {
namespace {

constexpr const char* kCompressFooter = R"(
Examples:
  numpact compress prices.npy                            makes prices.npy.pco
  numpact compress trips.csv --column fare -o fare.pco
  numpact compress trips.parquet -o trips                every column, text too if Arrow is there
  numpact compress ticks.raw --dtype i64 --level 12 --delta consecutive=1
  numpact compress more.npy --append -o prices.npy.pco   adds to an existing file
  numpact compress sst.npy --max-error 0.01              rounds, by 0.01 at most
  numpact compress trips.parquet -o trips --max-error lat=1e-6 --decimals fare=2
  numpact compress may.parquet --append -o trips         adds the rows of all columns
  numpact compress june.parquet --append --schema extend -o trips
  numpact compress trips.parquet --partition-by day,zone -o trips
)";

class Compressor {
 public:
  explicit Compressor(const CompressOptions& options)
      : options_(options),
        source_options_(parse_source_args(options.source, NullPolicy::kError)),
        others_(parse_others(options.others)),
        schema_(parse_schema(options)),
        input_name_(options.input == "-" ? "(stdin)" : options.input),
        executor_(options.threads) {
    write_options_.config = parse_encode_args(options.encode);
    write_options_.config.executor = &executor_;
    source_options_.csv.executor = &executor_;
    write_options_.verify = !options.no_verify;
    write_options_.progress = options.common.shows_progress();
    if (options.json && options.output == "-") fail_usage("--json", "standard output has the file");
    const bool may_keep = others_ != OtherPolicy::kDrop && others_ != OtherPolicy::kError;
    source_options_.keeps_text = may_keep && !options.output.ends_with(kNumberEnding) &&
                                 options.output != "-" && !source_options_.column;
  }

  // `given`: a table that becomes a folder; null: the input.
  void run(TableInput* given) {
    if (options_.append) {
      write_options_.config.trailer = parse_trailer_args(options_.trailer, false);
      source_options_.stated = stated_types(options_.output, options_.overwrite, write_options_);
    }
    std::unique_ptr<TableInput> opened;
    if (given == nullptr) {
      opened = open_table(options_.input, options_.source.from, source_options_);
    }
    table_ = given != nullptr ? given : opened.get();
    for (const std::string& text : table_->notes()) note(text);
    if (!table_->json_metadata().empty()) note("its metadata is left out");
    vectors_ = vectors_of(options_.vectors, table_->columns(), input_name_);
    if (!table_->has_names()) {
      if (source_options_.column || !source_options_.skip.empty()) {
        fail_usage(input_name_, "this format has no columns, --column and --skip do not apply");
      }
      if (options_.source.nulls == "keep") refuse_to_keep_nulls();
      if (!options_.others.empty()) fail_usage("--others", "applies to tables");
      roundings_.emplace(options_.rounding, names_, input_name_);
      return compress_column(0);
    }
    names_ = names_of(table_->columns());
    roundings_.emplace(options_.rounding, names_, input_name_);
    dtypes_ = requested_dtypes(names_, input_name_, source_options_);
    for (const std::string& name : source_options_.skip) {
      skipped_.insert(find_name(names_, input_name_, name));
    }
    std::optional<std::size_t> chosen;
    if (source_options_.column) {
      chosen = find_name(names_, input_name_, *source_options_.column);
    }
    if (given != nullptr || makes_folder(chosen.has_value())) return compress_table(chosen);
    if (!options_.others.empty()) fail_usage("--others", "applies to a whole table (-o FOLDER)");
    compress_column(chosen.value_or(0));
  }

 private:
  // A table becomes a folder. A single column becomes a file if it is requested by name, or if it
  // is the only column and the output is named like a file. Keeping its nulls requires a folder.
  bool makes_folder(bool column_is_chosen) const {
    const std::string& output = options_.output;
    const bool is_file_name = output == "-" || output.ends_with(kNumberEnding);
    const bool is_file = column_is_chosen || (names_.size() == 1 && is_file_name);
    if (!is_file || options_.source.nulls != "keep") return !is_file;
    if (output.empty() || is_file_name) refuse_to_keep_nulls();
    return true;
  }

  [[noreturn]] static void refuse_to_keep_nulls() {
    fail_usage("--nulls", "a .pco file cannot keep nulls, the folder of a table does (-o FOLDER)");
  }
  void note(const std::string& text) const {
    if (!options_.common.quiet) print_message("{}: {}", input_name_, text);
  }
  std::string place_of(const Column& column) const {
    return table_->has_names() ? column_place(input_name_, column.name) : input_name_;
  }

  void report(const std::string& output, const Column& column, const WrittenFile& written) const {
    if (options_.common.quiet || output == "-") return;
    if (options_.append) {
      print_message("{}: {} {} numbers appended", output, grouped(written.count),
                    name_of(column.type));
      return;
    }
    const std::string trailer =
        written.trailer_bytes == 0
            ? ""
            : fmt::format(", {} of them the trailer", grouped(written.trailer_bytes));
    print_message("{}: {} {} numbers, {}{}", output, grouped(written.count), name_of(column.type),
                  size_text(written.count * size_of(column.type), written.bytes), trailer);
  }

  std::string output_for_column(const Column& column) const {
    if (!options_.output.empty()) return options_.output;
    if (options_.input == "-") return "-";
    if (!table_->has_names()) return options_.input + ".pco";
    return options_.input + "." + table::FileNames().add(column.name, kNumberEnding);
  }

  std::optional<NumberType> dtype_of(std::size_t index) const {
    return table_->has_names() ? dtypes_[index] : source_options_.dtype;
  }

  void compress_column(std::size_t index) {
    Column column;
    std::unique_ptr<NumberInput> numbers =
        open_column(*table_, index, input_name_, dtype_of(index), column);
    refuse_decimals(column, place_of(column));
    require_config_fits(column.type, write_options_.config, place_of(column));
    numbers = roundings_->wrap(std::move(numbers), index, column, write_options_.config,
                               place_of(column));
    roundings_->require_use();
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
    roundings_->print(output, options_.json, options_.common.quiet);
    note_lost_metadata(column);
    note_dropped(column, numbers->null_count());
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

  void append_to(const std::string& path, const std::string& name) {
    write_options_.append_to = open_file(path);
    write_options_.append_name = name;
    keep_restart_points(write_options_.append_to, write_options_);
  }

  void note_dropped(const Column& column, std::uint64_t nulls) const {
    if (nulls == 0) return;
    note(fmt::format("column '{}': {} nulls left out", column.name, grouped(nulls)));
  }

  // `chosen`: the only column to compress, if one was requested.
  void compress_table(std::optional<std::size_t> chosen) {
    std::string output = options_.output;
    if (output.empty() && options_.input != "-" && !options_.append) {
      output = options_.input + ".pco";
    }
    if (output.empty() || output == "-") {
      fail_usage(input_name_, "a whole table becomes a folder: give -o FOLDER or --column NAME");
    }
    refuse_same_file(options_.input, output);
    divide_threads();
    table_->set_nulls(options_.source.nulls.empty() ? NullPolicy::kKeep : source_options_.nulls);
    if (options_.append) {
      if (options_.source.nulls == "drop") {
        fail_usage("--nulls", "drop would append columns of different lengths");
      }
      folder_.emplace(output, write_options_, options_.overwrite);
      note_old();
    }
    choose_columns(chosen);
    if (options_.append) {
      place_in_folder();
      if (!folder_->before().others.empty()) old_.emplace(output);
    } else {
      place_columns();
      write_options_.config.trailer = parse_table_trailer_args(options_.trailer);
      begin_folder(output);
    }
    OtherColumns others(*folder_, old_ ? &*old_ : nullptr);
    compress_at_once();
    for (std::size_t i = 0; i < table_->columns().size(); ++i) {
      if (!places_[i]) {
        report_left_out(i);
      } else if (const ManifestColumn* const numbers = folder_->entries()[*places_[i]].numbers;
                 numbers != nullptr && numbers->kind != LogicalKind::kText) {
        add_column(i);
      } else {
        add_other(others, i);
      }
    }
    write_absent(others);
    if (write_options_.verify) others.verify();
    old_.reset();  // Windows replaces no manifest that is open
    roundings_->require_use();
    folder_->commit();
    report_table(output);
    roundings_->print(output, options_.json, options_.common.quiet);
  }

  // Threads are divided among columns that are compressed at the same time.
  void divide_threads() {
    const auto count = static_cast<std::size_t>(
        std::count_if(table_->columns().begin(), table_->columns().end(),
                      [](const Column& column) { return column.unfit.empty(); }));
    if (!table_->reads_columns_at_once() || executor_.concurrency() < 2 || count < 2) return;
    threads_.emplace(executor_, count);
    write_options_.config.executor = &threads_->executor();
  }

  void note_old() {
    for (const SkippedColumn& column : folder_->before().skipped) old_skipped_.insert(column.name);
  }

  // Where columns that are written are in the table.
  void place_columns() {
    places_.resize(names_.size());
    std::size_t next = 0;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (reasons_[i].empty() || kept_.contains(i)) places_[i] = next++;
    }
  }

  void begin_folder(const std::string& output) {
    Manifest manifest;
    manifest.metadata = table_->metadata();
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const Column& column = table_->columns()[i];
      if (!places_[i]) {
        manifest.skipped.push_back({column.name, column.source_type, reasons_[i]});
      } else if (reasons_[i].empty()) {
        manifest.columns.push_back(column_of(column_to_write(i)));
      } else {
        const std::uint64_t at = *places_[i];
        manifest.others.push_back({column.name, column.source_type, at, 0, {}, vectors_[i]});
      }
    }
    folder_.emplace(output, manifest, write_options_, options_.overwrite);
  }

  void report_table(const std::string& output) const {
    if (options_.common.quiet) return;
    const Manifest& manifest = folder_->manifest();
    const std::vector<ManifestEntry> entries = entries_of(manifest);
    if (options_.append) {
      const std::uint64_t added = entries[0].rows() - folder_->entries()[0].rows();
      return print_message("{}: {} rows appended to {}", output, grouped(added),
                           counted(entries.size(), "column"));
    }
    std::uint64_t raw_bytes = 0;
    std::size_t count = 0;
    std::vector<std::string> other_names;
    for (const ManifestEntry& entry : entries) {
      const bool is_number = entry.numbers != nullptr && entry.numbers->text.empty();
      if (!is_number) {
        other_names.push_back(entry.name());
        continue;
      }
      ++count;
      raw_bytes += entry.numbers->count * size_of(entry.numbers->type);
    }
    const std::string columns = fmt::format("{}, {}", counted(count, "column"),
                                            size_text(raw_bytes, folder_->number_bytes()));
    const std::string others = others_text(other_names, folder_->other_bytes());
    print_message(output + ": " +
                  (count == 0 && !others.empty() ? others
                   : others.empty()              ? columns
                                                 : columns + "; " + others));
  }

  // A column that the table has and the folder has not is reported even with -q, unless the user
  // asked for that.
  void report_left_out(std::size_t index) const {
    const Column& source = table_->columns()[index];
    const std::string text =
        fmt::format("column '{}' is left out: {}", source.name, reasons_[index]);
    if (source.unfit.empty() || skipped_.contains(index)) return note(text);
    print_message("{}: {}", input_name_, text);
  }

  // The first error in the order of the columns is reported.
  void add_column(std::size_t index) {
    const bool is_done = index < compressed_.size() && compressed_[index];
    const Compressed made = is_done ? *compressed_[index] : compress_one(index);
    if (made.failure) std::rethrow_exception(made.failure);
    require_same_rows(names_[index], made.rows.all);
    note_dropped(table_->columns()[index], made.rows.dropped);
  }

  void add_other(OtherColumns& others, std::size_t index) {
    const std::string& why = table_->columns()[index].unfit;  // one misspelled number will do
    if (table_->infers_types() && !options_.append) {
      note(fmt::format("column '{}' is kept as {}", names_[index], why));
    }
    const std::string place = place_of(table_->columns()[index]);
    require_same_rows(names_[index], others.write(*table_, index, *places_[index], place,
                                                  widened_.contains(index)));
  }

  // Guards against sources that change while they are read: all columns must have the same rows.
  void require_same_rows(const std::string& name, std::uint64_t rows) {
    if (!first_) first_ = {name, rows};
    if (rows == first_->second) return;
    fail(column_place(input_name_, name),
         "has {} rows, column '{}' has {}: did the file change while it was "
         "read?",
         rows, first_->first, first_->second);
  }

  // Dates and booleans keep their type whatever --dtype says.
  std::optional<NumberType> dtype_for(std::size_t index) const {
    const Column& column = table_->columns()[index];
    if (column.logical.kind != LogicalKind::kNumber) return std::nullopt;
    return dtypes_[index];
  }

  // Decides which columns are left out, and why, before anything is written.
  void choose_columns(std::optional<std::size_t> chosen) {
    reasons_.resize(names_.size());
    std::string all;
    bool any = false;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const Column& column = table_->columns()[i];
      reasons_[i] = column.unfit;
      const bool is_asked_for = !skipped_.contains(i) && (!chosen || *chosen == i);
      if (is_asked_for && options_.append && has_decimals_in_arrow(folder_->before(), column)) {
        reasons_[i] =
            fmt::format("{}, which the folder has in a file of Arrow", column.source_type);
        kept_.insert(i);
        any = true;
        continue;
      }
      if (skipped_.contains(i)) reasons_[i] = kSkipped;
      if (chosen && *chosen != i) reasons_[i] = "was not asked for";
      if (is_asked_for && !column.unfit.empty() && keeps(i)) kept_.insert(i);
      if (reasons_[i].empty()) {
        require_config_fits(dtype_for(i).value_or(column.type), write_options_.config,
                            place_of(column));
      }
      if (reasons_[i].empty() || kept_.contains(i)) {
        any = true;
      } else {
        all += fmt::format("{}'{}': {}", all.empty() ? ": " : "; ", column.name, reasons_[i]);
      }
    }
    if (others_ == OtherPolicy::kError) refuse_others(chosen);
    if (!any) {
      fail(input_name_, "no column can be compressed" + all);
    }
  }

  // Whether a column that cannot be compressed is kept as a file of Arrow.
  bool keeps(std::size_t index) const {
    const Column& column = table_->columns()[index];
    if (options_.append && is_untyped(column) && !was_skipped(column.name))
      return table_->can_keep(index);
    if (others_ == OtherPolicy::kDrop || others_ == OtherPolicy::kError) return false;
    if (table_->can_keep(index)) return true;
    if (others_ == OtherPolicy::kKeepIfPossible) return false;
    fail(place_of(table_->columns()[index]),
         has_arrow() ? fmt::format("cannot be kept: {}", table_->columns()[index].unfit)
                     : "cannot be kept without Arrow: --others drop leaves it out");
  }

  void refuse_others(std::optional<std::size_t> chosen) const {
    std::string all;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const Column& column = table_->columns()[i];
      if (column.unfit.empty() || skipped_.contains(i) || (chosen && *chosen != i)) continue;
      all += fmt::format("{}'{}' ({})", all.empty() ? "" : ", ", column.name, column.unfit);
    }
    if (all.empty()) return;
    fail(input_name_, "--others error: columns cannot be compressed: {}", all);
  }

  // A column of numbers with the type in which it is written.
  Column column_to_write(std::size_t index) const {
    Column column = table_->columns()[index];
    if (const std::optional<NumberType> dtype = dtype_for(index); dtype && *dtype != column.type) {
      column.type = *dtype;
      column.logical = {};
    }
    return column;
  }

  // Finds the columns to append among those of the folder.
  void place_in_folder() {
    Manifest rows;
    std::vector<std::size_t> given;  // columns of the input
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const bool is_other = kept_.contains(i);
      if (!reasons_[i].empty() && !is_other) {
        if (table_->columns()[i].unfit.empty() || was_skipped(names_[i])) continue;
        fail(folder_->name(), "column '{}' cannot be appended: {}", names_[i], reasons_[i]);
      }
      if (is_other) {
        rows.others.push_back({names_[i], type_of_other(i), given.size(), 0, {}, vectors_[i]});
      } else {
        rows.columns.push_back(column_of(column_to_write(i)));
      }
      given.push_back(i);
    }
    folder_->set_rows(rows, schema_);
    places_.assign(names_.size(), std::nullopt);
    for (std::size_t at = 0; at < folder_->entries().size(); ++at) {
      const std::optional<std::size_t>& source = folder_->plan(at).source;
      if (!source) continue;
      places_[given[*source]] = at;
      const ManifestEntry& entry = folder_->entries()[at];
      if (entry.other != nullptr || !entry.numbers->text.empty()) compare_other(given[*source], at);
    }
  }

  // The type of an other column as Arrow prints it.
  std::string type_of_other(std::size_t index) const {
    const std::string& type = table_->columns()[index].source_type;
    return type == kCsvTextType ? "string" : type;  // of write_text()
  }

  void compare_other(std::size_t index, std::size_t at) {
    const ManifestEntry& old = folder_->entries()[at];
    const std::string type = type_of_other(index);
    const bool is_new = old.other != nullptr && old.other->parts.empty();
    if (is_new || is_untyped(table_->columns()[index])) return;
    const std::string old_type =
        old.other != nullptr ? old.other->type : type_text(old.numbers->text[0]);
    if (old.numbers != nullptr &&
        !has_enums_of(table_->columns()[index].metadata, old.numbers->metadata)) {
      fail(column_place(folder_->name(), names_[index]),
           "its values are of an Enum of polars with other categories");
    }
    if (have_same_values(type, old_type)) return;
    if (schema_ == table::SchemaChange::kNone) {
      fail(folder_->name(), "column '{}': values of type {}, the folder has {}", names_[index],
           type, old_type);
    }
    widened_.insert(index);
    if (old.other != nullptr && !holds_values_of(old_type, type)) folder_->rewrite_other(at, type);
  }

  // Columns of the folder that the input does not have. The library completes those of numbers.
  void write_absent(OtherColumns& others) const {
    for (std::size_t at = 0; at < folder_->entries().size(); ++at) {
      if (folder_->plan(at).source || folder_->entries()[at].other == nullptr) continue;
      if (options_.append) others.join(at, first_ ? first_->second : 0);
    }
  }

  // Whether the folder was made without this column.
  bool was_skipped(const std::string& name) const { return old_skipped_.contains(name); }

  // The rows of a column that was written, or the error.
  struct Compressed {
    FolderWriter::Rows rows;
    std::exception_ptr failure;
  };

  Compressed compress_one(std::size_t index) noexcept {
    Compressed made;
    try {
      const std::size_t at = *places_[index];
      const ManifestColumn& target = *folder_->entries()[at].numbers;
      Column column = column_of(target);
      // The rows of a column without a type are nulls.
      std::unique_ptr<NumberInput> numbers =
          kept_.contains(index)
              ? null_rows_of(target.type, count_rows(*table_, index))
              : open_column(*table_, index, input_name_, dtype_for(index), column);
      numbers = roundings_->wrap(std::move(numbers), index, column, write_options_.config,
                                 place_of(column));
      made.rows = folder_->write(at, *numbers, column.logical.unit, place_of(column));
    } catch (...) {
      made.failure = std::current_exception();
    }
    return made;
  }

  // Compresses several columns at the same time if the table can be read like that.
  void compress_at_once() {
    if (!threads_) return;
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < reasons_.size(); ++i) {
      if (reasons_[i].empty()) columns.push_back(i);
    }
    compressed_.resize(reasons_.size());
    threads_->run(columns.size(), [&](std::size_t i) {
      compressed_[columns[i]] = compress_one(columns[i]);
      return compressed_[columns[i]]->failure == nullptr;
    });
  }

  const CompressOptions& options_;
  InputOptions source_options_;
  OtherPolicy others_;
  table::SchemaChange schema_;
  std::string input_name_;
  ThreadExecutor executor_;  // shared by all columns
  WriteOptions write_options_;
  TableInput* table_ = nullptr;
  std::vector<std::string> names_;  // column names
  std::optional<Roundings> roundings_;
  std::vector<std::optional<NumberType>> dtypes_;
  std::set<std::size_t> skipped_;
  std::vector<std::string> reasons_;     // why each column is not compressed; empty if it is
  std::set<std::size_t> kept_;           // of these, the ones that files of Arrow keep
  std::vector<table::Vectors> vectors_;  // of each column
  std::set<std::size_t> widened_;        // of these, the ones whose type is not that of the folder
  std::vector<std::optional<std::size_t>> places_;  // of columns that are written, in the table
  std::optional<ColumnThreads> threads_;            // for several columns at the same time
  std::optional<FolderWriter> folder_;
  std::optional<TableFolder> old_;  // whose other columns are extended
  std::set<std::string> old_skipped_;
  std::optional<std::pair<std::string, std::uint64_t>> first_;  // column that was written, its rows
  std::vector<std::optional<Compressed>> compressed_;           // those that were at the same time
};

}  // namespace

void compress(const CompressOptions& options, TableInput* table) { Compressor(options).run(table); }

Command add_compress_command(CLI::App& app) {
  const auto options = std::make_shared<CompressOptions>();
  CLI::App* command =
      app.add_subcommand("compress", "Compress numbers, or columns of a table, to Pco");
  add_compress_options(*command, *options);
  command->footer(kCompressFooter);
  return {command, [command, options] {
            const bool is_divided = !options->partition_by.empty();
            if (is_divided) refuse_undivided(*command);
            is_divided ? compress_partitioned(*options) : compress(*options);
            return ExitCode::kDone;
          }};
}

}  // namespace numpact::cli
