// SPDX-License-Identifier: Apache-2.0
// numpact decompress
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "commands/commands.hpp"
#include "commands/common_options.hpp"
#include "commands/decompress_options.hpp"
#include "formats/formats.hpp"
#include "formats/others.hpp"
#include "formats/table.hpp"
#include "io/files.hpp"
#include "io/output_file.hpp"
#include "numpact/executor.hpp"
#include "numpact/trailer.hpp"
#include "pco/condition.hpp"
#include "pco/folder_rows.hpp"
#include "pco/manifest.hpp"
#include "pco/pco_file.hpp"
#include "pco/table_folder.hpp"
#include "platform/paths.hpp"
#include "report/progress_bar.hpp"
#include "report/text_table.hpp"

namespace numpact::cli {
namespace {

// Block size of a column if the next block is read while the last one is written. Larger blocks
// synchronise the two threads less often and take more memory.
constexpr std::size_t kBlockNumbersAhead = 4 * kBlockNumbers;

class Decompressor {
 public:
  explicit Decompressor(const DecompressOptions& options)
      : options_(options),
        input_name_(options.input == "-" ? "(stdin)" : options.input),
        output_(options.output.empty() ? "-" : options.output),
        dtype_(parse_dtype(options.dtype)),
        range_(parse_range(options.range)),
        config_(parse_limit_args(options.limits)),
        limits_(std::make_shared<ValueLimits>(config_.limits)) {
    const unsigned threads = ThreadExecutor(options.threads).concurrency();
    if (threads > 1 && !range_ && !options.salvage) {
      writing_ = std::make_unique<ThreadExecutor>(2);
      config_.threads = threads - 1;
    } else {
      config_.threads = threads;
    }
    refuse_contradictions(options);
    if (options.ignore_trailer) config_.trailer = TrailerPolicy::kIgnore;
    if (options.verify_trailer) config_.trailer = TrailerPolicy::kVerify;
    if (options.salvage && range_) fail_usage("--salvage", "cannot be combined with --range");
  }

  ExitCode run() {
    refuse_same_file(options_.input, output_);
    if (is_folder(options_.input)) {
      open_folder();
    } else {
      open_single_file();
    }
    write();
    return lost_ ? ExitCode::kCorrupt : ExitCode::kDone;
  }

 private:
  const Format& format(std::string_view otherwise) const {
    if (!options_.to.empty()) return output_format(options_.to, Purpose::kNumbers);
    if (output_ != "-") return guess_output_format(output_, Purpose::kNumbers);
    return output_format(otherwise, Purpose::kNumbers);
  }

  void open_single_file() {
    if (options_.column) fail_usage("--column", "chooses from a folder, not from a file");
    if (!options_.columns.empty())
      fail_usage("--columns", "chooses from a folder, not from a file");
    if (options_.where) fail_usage("--where", "is for a folder, not for a file");
    format_ = &format("text");
    columns_.push_back(open_numbers());
    places_.push_back(columns_.back()->place());
    Column column;
    column.name = column_name();
    column.type = type_of(*columns_[0]);
    plan_.columns.push_back(column);
  }

  std::unique_ptr<PcoInput> open_numbers() {
    if (range_) {
      plan_.count = range_->count;
      return std::make_unique<PcoRange>(open_file(options_.input), input_name_, *range_, config_,
                                        dtype_);
    }
    if (options_.salvage) return open_recovery(open_file(options_.input), input_name_, dtype_);
    auto input = std::make_unique<Input>(options_.input);
    // An NPY header states the count. Where it cannot be patched later, the count must be known
    // first.
    std::unique_ptr<ByteSource> source;
    if (format_->name == "npy" && output_ == "-") {
      std::vector<std::byte> bytes = input->read_rest();
      std::uint64_t count = 0;
      check(count_numbers(bytes, config_).into(count), input_name_);
      plan_.count = count;
      source = std::make_unique<OwnedBytes>(std::move(bytes));
    } else {
      source = std::move(input);
    }
    return open_all(std::move(source), input_name_, dtype_);
  }

  std::unique_ptr<PcoInput> open_all(std::unique_ptr<ByteSource> source, const std::string& place,
                                     std::optional<NumberType> type) {
    auto numbers = std::make_unique<PcoNumbers>(std::move(source), place, config_, type);
    if (writing_ != nullptr) numbers->keep_last(kBlockNumbersAhead);
    if (!options_.ignore_trailer) read_to_end_.push_back(numbers.get());
    return numbers;
  }

  std::unique_ptr<PcoInput> open_recovery(const FileRef& file, const std::string& place,
                                          std::optional<NumberType> type) {
    auto numbers = std::make_unique<PcoRecovery>(file, place, config_, type);
    plan_.count = numbers->found().sound_count;
    for (const std::string& line : losses(numbers->found())) {
      print_message("{}: {}", place, line);
      lost_ = true;
    }
    if (!numbers->found().header_status.ok() && numbers->found().damage.empty()) {
      print_message("{}: {}; no number is lost", place, message_of(numbers->found().header_status));
    }
    return numbers;
  }

  // The column name for formats that need one: the file's name without its extensions.
  std::string column_name() const {
    if (options_.input == "-") return "numbers";
    const std::string name = platform::name_part(options_.input);
    const std::size_t dot = name.find('.', 1);
    return name.substr(0, dot);
  }

  NumberType type_of(PcoInput& numbers) const {
    const std::optional<NumberType>& type = numbers.type();
    if (!type) numbers.next();  // throws unless the file is intact and empty
    if (dtype_ && type && *dtype_ != *type) {
      fail(numbers.place(), "holds {} numbers, not {}", name_of(*type), name_of(*dtype_));
    }
    const bool needs_type = format_->name != "text" && format_->name != "raw";
    if (!type && needs_type) {
      fail(numbers.place(), "is empty and does not say of which number type (--dtype does)");
    }
    return type.value_or(NumberType::kU8);
  }

  void open_folder() {
    if (dtype_) fail_usage("--dtype", "does not apply to a folder");
    folder_ = std::make_unique<TableFolder>(options_.input);
    entries_ = folder_->columns();
    std::vector<std::size_t> chosen = options_.column ? std::vector{folder_->find(*options_.column)}
                                                      : folder_->find_all(options_.columns);
    format_ = &format(options_.column ? "text" : "csv");
    leave_out_others(chosen);
    if (!options_.salvage) return open_query(chosen);
    if (chosen.size() != 1) {
      fail_usage("--salvage", "would leave columns of different lengths: choose one with --column");
    }
    const ManifestEntry& entry = entries_[chosen[0]];
    if (entry.numbers == nullptr || entry.numbers->kind == LogicalKind::kText) {
      fail_usage("--salvage", "recovers numbers, and column '{}' has {}", entry.name(),
                 entry.numbers != nullptr ? "texts" : "other values");
    }
    open_recovered(*entry.numbers);
  }

  [[noreturn]] void refuse_lengths() const {
    fail(options_.input,
         "columns differ in length or rows where nulls were left out (choose one with --column)");
  }

  // Removes columns that the format cannot show from a whole table. It is an error if one of them
  // was asked for.
  void leave_out_others(std::vector<std::size_t>& chosen) {
    const bool is_text = format_->content == Content::kText;
    if ((!is_text && !format_->column_noun.empty()) || chosen.empty()) return;  // it holds all
    const auto leave_out = [&](const std::string& name, const std::string& type, bool needs_arrow) {
      this->leave_out(
          name, needs_arrow ? fmt::format("values of type {} need Arrow", type)
                            : fmt::format("{} cannot hold values of type {}", format_->name, type));
    };
    leave_out_unshown(*folder_, is_text, limits_, leave_out, chosen);
    if (chosen.empty()) fail(options_.input, "holds no columns that can be shown");
  }

  // Reported even with -q, since the output lacks a column of the table.
  void leave_out(const std::string& name, const std::string& reason) const {
    if (options_.column || !options_.columns.empty()) {
      fail(column_place(options_.input, name), reason);
    }
    print_message("{}: column '{}' is left out: {}", input_name_, name, reason);
  }

  // Reads columns of a folder, and of them the rows that a filter selects.
  void open_query(const std::vector<std::size_t>& chosen) {
    RowQuery query;
    query.columns = chosen;
    if (options_.where) query.where = parse_where(*options_.where);
    for (const std::size_t at : query.columns) {
      const ManifestEntry& entry = entries_[at];
      if (options_.nulls != "drop" || entry.numbers == nullptr || entry.numbers->null_count == 0) {
        continue;
      }
      if (query.columns.size() > 1) refuse_lengths();
      query.where.push_back({entry.name(), table::FilterOp::kIsNotNull, {}});
    }
    query.range = range_;
    query.wants_text = format_->content == Content::kText;
    // Arrow's readers are not shared by the threads that read and write.
    const bool has_others = std::any_of(query.columns.begin(), query.columns.end(),
                                        [&](std::size_t at) { return entries_[at].other; });
    if (has_others) {
      writing_.reset();
      config_.threads = ThreadExecutor(options_.threads).concurrency();
    }
    query_ = std::make_unique<FolderRows>(*folder_, query, config_, limits_);
    plan_ = query_->plan();
    if (options_.column) plan_.metadata.clear();
    for (const Column& column : plan_.columns) {
      places_.push_back(column_place(options_.input, column.name));
    }
    for (const std::size_t at : chosen) {
      const bool is_read = entries_[at].numbers != nullptr && !range_;
      if (is_read && !options_.ignore_trailer) warn_of_ends(*entries_[at].numbers);
    }
  }

  // What is sound in the files of a column. Nulls are left out: recovered numbers cannot be matched
  // with rows.
  void open_recovered(const ManifestColumn& entry) {
    std::uint64_t count = 0;
    auto all = std::make_unique<PcoParts>(column_place(folder_->path_of(""), entry.name));
    for (const table::NumberPart& part : entry.all_parts()) {
      const FileRef file = folder_->file(part.file);
      all->add(open_recovery(file, column_place(file->name(), entry.name), entry.type));
      count += *plan_.count;
    }
    plan_.count = count;
    columns_.push_back(std::move(all));
    check_type(entry);
    places_.push_back(columns_.back()->place());
    plan_.columns.push_back(column_of(entry));
  }

  void check_type(const ManifestColumn& entry) const {
    const PcoInput& numbers = *columns_.back();
    if (*numbers.type() != entry.type) {
      fail_corrupt(numbers.place(), "corrupt: holds {} numbers, not {} as the manifest says",
                   name_of(*numbers.type()), name_of(entry.type));
    }
  }

  void write() {
    OutputFile file(output_, options_.overwrite, format_->content);
    plan_.threads = ThreadExecutor(options_.threads).concurrency();
    plan_.limits = limits_;
    const std::unique_ptr<TableOutput> output = format_->make(file, plan_);
    ProgressBar progress(input_name_, plan_.count, options_.common.shows_progress());
    std::vector<ColumnBlock> views(plan_.columns.size());
    std::uint64_t rows = 0;
    std::uint64_t bytes = 0;
    read_next(views);
    while (!views.empty()) {
      const std::uint64_t before = bytes;
      for (std::size_t c = 0; c < views.size(); ++c) {
        const std::uint64_t numbers = bytes_of(views[c].numbers).size();
        // The library compares the numbers of a column only. Texts were counted when they were
        // read.
        limits_->add_output(numbers, places_[c]);
        bytes += numbers;
        if (views[c].texts != nullptr) bytes += views[c].texts->bytes.size();
        if (views[c].rows != views[0].rows) refuse_count(places_[c], rows + views[c].rows);
      }
      const std::uint64_t count = views[0].rows;
      if (count == 0) break;
      write_and_read(*output, views);
      rows += count;
      progress.add(count, bytes - before);
    }
    if (plan_.count && rows != *plan_.count) refuse_count(places_[0], rows);
    for (PcoNumbers* const numbers : read_to_end_) check_trailer(*numbers);
    output->finish();
    file.commit();
  }

  // A trailer that contradicts the file is an error before the output gets its final name. A
  // trailer that is damaged itself is only a warning.
  void check_trailer(PcoNumbers& numbers) const {
    TrailerState state = TrailerState::kNone;
    check(numbers.check_trailer().into(state), numbers.place());
    if (state == TrailerState::kDamaged && options_.verify_trailer) {
      fail_corrupt(numbers.place(), "corrupt: its trailer is damaged");
    }
    warn_of(numbers.file_end(), numbers.place());
  }

  static void warn_of(const FileEnd& end, const std::string& place) {
    if (end.warning().empty()) return;
    const std::string at =
        end.foreign_at ? fmt::format(" (at byte {})", grouped(*end.foreign_at)) : "";
    print_message("{}: warning: {}{}", place, end.warning(), at);
  }

  // Tells what follows the numbers of a column's files. Only those without a sound trailer are
  // walked.
  void warn_of_ends(const ManifestColumn& column) const {
    for (const table::NumberPart& part : column.all_parts()) {
      const FileBytes file(folder_->file(part.file));
      std::optional<Trailer> trailer;
      if (Trailer::read(file.bytes()).into(trailer).ok() && trailer) continue;
      FileEnd end;
      DecodeConfig config = config_;
      config.limits = walk_limits(config.limits, file.bytes().size());
      config.file_end = &end;
      static_cast<void>(ChunkIndex::build(file.bytes(), config));  // reading says what is wrong
      warn_of(end, column_place(folder_->path_of(part.file), column.name));
    }
  }

  // Writes `views` and replaces them with the next block, which is read at the same time if there
  // is a thread for it. Errors are reported in the same order as with one thread.
  void write_and_read(TableOutput& output, std::vector<ColumnBlock>& views) {
    if (writing_ == nullptr) {
      output.write(views);
      return read_next(views);
    }
    struct Shared {
      Decompressor& self;
      TableOutput& output;
      const std::vector<ColumnBlock>& views;
      std::vector<ColumnBlock> next;
      std::exception_ptr failures[2];
    } shared{*this, output, views, std::vector<ColumnBlock>(views.size()), {}};
    const auto task = [](void* argument, std::size_t i) noexcept {
      Shared& all = *static_cast<Shared*>(argument);
      try {
        if (i == 0) {
          all.output.write(all.views);
        } else {
          all.self.read_next(all.next);
        }
      } catch (...) {
        all.failures[i] = std::current_exception();
      }
    };
    writing_->run(2, task, &shared);
    for (const std::exception_ptr& failure : shared.failures) {
      if (failure) std::rethrow_exception(failure);
    }
    views = std::move(shared.next);
  }

  // The rows that the filter selects. Some formats cannot hold nulls.
  void read_selected(std::vector<ColumnBlock>& views) {
    views = query_->next();
    if (format_->holds_nulls) return;
    for (std::size_t c = 0; c < views.size(); ++c) {
      const std::span<const std::uint8_t> valid = std::exchange(views[c].valid, {});
      if (std::find(valid.begin(), valid.end(), std::uint8_t{0}) == valid.end()) continue;
      fail(places_[c],
           "has nulls among these rows, which {} cannot hold (--nulls drop "
           "leaves them out)",
           format_->name);
    }
  }

  void read_next(std::vector<ColumnBlock>& views) {
    if (query_ != nullptr) return read_selected(views);
    views[0] = {columns_[0]->next(), {}};
  }

  [[noreturn]] static void refuse_count(const std::string& place, std::uint64_t count) {
    fail_corrupt(place, "corrupt: holds {} numbers, other columns or the manifest differ", count);
  }

  const DecompressOptions& options_;
  std::string input_name_;
  std::string output_;
  std::optional<NumberType> dtype_;
  std::optional<NumberRange> range_;
  DecodeConfig config_;
  ValueLimitsRef limits_;  // of all columns
  const Format* format_ = nullptr;
  std::unique_ptr<TableFolder> folder_;      // set if the input is a folder
  std::span<const ManifestEntry> entries_;   // all columns of the folder
  std::unique_ptr<FolderRows> query_;        // reads a folder, unless its numbers are recovered
  std::unique_ptr<ThreadExecutor> writing_;  // writes while the next block is read; null: one
                                             // thread, or only part of the numbers
  std::vector<std::unique_ptr<PcoInput>> columns_;  // the one of a file
  std::vector<std::string> places_;                 // of each column, for messages
  std::vector<PcoNumbers*> read_to_end_;            // of the columns and of their null files
  bool lost_ = false;                               // whether some numbers were lost
  OutputPlan plan_;
};

}  // namespace

Command add_decompress_command(CLI::App& app) {
  const auto options = std::make_shared<DecompressOptions>();
  CLI::App* command = app.add_subcommand("decompress", "Decompress Pco to numbers, or a table");
  add_decompress_options(*command, *options);
  return {command, [options] { return Decompressor(*options).run(); }};
}

}  // namespace numpact::cli
