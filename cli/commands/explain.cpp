// SPDX-License-Identifier: Apache-2.0
// numpact explain
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/commands.hpp"
#include "commands/common_options.hpp"
#include "commands/source.hpp"
#include "commands/usage_error.hpp"
#include "formats/formats.hpp"
#include "formats/table.hpp"
#include "io/files.hpp"
#include "numpact/pco.hpp"
#include "pco/manifest.hpp"
#include "pco/pco_file.hpp"
#include "pco/table_folder.hpp"
#include "report/explain_report.hpp"
#include "report/print.hpp"
#include "report/progress_bar.hpp"
#include "report/text_table.hpp"

namespace numpact::cli {
namespace {

constexpr const char* kExplainFooter = R"(
Examples:
  numpact explain prices.npy                             compressed in memory, nothing is written
  numpact explain trips.parquet --column fare --level 12
  numpact explain fare.pco                               an existing file
  numpact explain fare.pco --again                       encoded again, with today's choices
)";

struct ExplainOptions {
  std::string input;
  std::optional<std::size_t> chunk;
  bool again = false;
  bool json = false;
  SourceArgs source;
  EncodeArgs encode;
  LimitArgs limits;
  CommonOptions common;
};

constexpr std::string_view kPcoEnding = ".pco";

class ExplainRunner {
 public:
  explicit ExplainRunner(const ExplainOptions& options)
      : options_(options),
        name_(options.input == "-" ? "(stdin)" : options.input),
        source_(parse_source_args(options.source, NullPolicy::kDrop)),
        config_(parse_encode_args(options.encode)),
        limits_(parse_limit_args(options.limits)),
        chunk_(options.chunk) {}

  ExitCode run() {
    explain_input();
    if (columns_.empty()) fail(name_, "no column to explain");
    if (chunk_) require_one();
    print_report(options_.json ? explain_json(columns_, chunk_) : report());
    for (const std::string& text : notes_) {
      if (!options_.common.quiet) print_message(text);
    }
    return code_;
  }

 private:
  void explain_input() {
    if (is_folder(options_.input)) return explain_folder();
    auto input = std::make_unique<Input>(options_.input);
    if (is_pco(*input)) {
      if (source_.column) fail_usage(name_, "a .pco file has no columns");
      return explain_pco(std::move(input));
    }
    if (options_.again) fail_usage("--again", "is for .pco files and folders of them");
    const auto table = open_table(std::move(input), options_.source.from, source_);
    const auto use = [this](const ReadColumn& column) { explain_column(column); };
    code_ = for_each_column(*table, name_, source_, notes_, use);
  }

  bool is_pco(Input& input) const {
    if (!options_.source.from.empty()) return false;
    return input.path().ends_with(kPcoEnding) || (!source_.dtype && begins_as_pco(input));
  }

  void explain_pco(std::unique_ptr<Input> input) {
    if (input->size()) {
      const FileBytes file(input->file());
      return explain_bytes(file.bytes(), name_);
    }
    const std::vector<std::byte> bytes = input->read_rest();
    explain_bytes(bytes, name_);
  }

  void explain_folder() {
    const TableFolder folder(options_.input);
    const Manifest& manifest = folder.manifest();
    std::vector<std::string> names;
    for (const ManifestColumn& column : manifest.columns) names.push_back(column.name);
    std::size_t first = 0;
    std::size_t end = names.size();
    if (source_.column) {
      first = find_name(names, name_, *source_.column);
      end = first + 1;
    }
    for (const ManifestOther& other : manifest.others) {
      if (!source_.column) {
        const bool has_vectors = other.parts.front().has_vectors();
        note(fmt::format("column '{}' is not explained: values of type {} are kept by {}",
                         other.name, other.type,
                         has_vectors ? "CVC (numpact cvc info FILE)" : "Arrow"));
      }
    }
    for (std::size_t i = first; i < end; ++i) {
      const ManifestColumn& column = manifest.columns[i];
      for (const table::NumberPart& part : column.all_parts()) {
        const FileBytes file(folder.file(part.file));
        const std::string& place = column.parts.size() > 1 ? folder.path_of(part.file) : name_;
        // Of texts, the places among them are explained, as numbers.
        explain_bytes(file.bytes(), column_place(place, names[i]));
      }
    }
  }

  void explain_bytes(std::span<const std::byte> file, const std::string& place) {
    if (!options_.again) require_no_encode_args();
    ExplainedColumn column;
    column.place = place;
    DecodeConfig decode = limits_;
    FileHeader header;
    if (read_header(file).into(header).ok()) {
      ProgressBar bar(place, header.n_hint, options_.common.shows_progress());
      decode.progress = progress_to(bar, header.number_type.value_or(NumberType::kU8));
      check(explain_file(file, decode).into(column.explanation), place);
    } else {
      check(explain_file(file, decode).into(column.explanation), place);
    }
    if (options_.again) choose_again(file, column);
    columns_.push_back(std::move(column));
  }

  void choose_again(std::span<const std::byte> file, ExplainedColumn& column) {
    if (!column.explanation.file.header.number_type) return;  // an empty file without a type
    NumberArray numbers;
    check(decompress_any(file, limits_).into(numbers), column.place);
    require_config_fits(numbers.type(), config_, column.place);
    column.again_level = config_.level;
    explain_numbers(numbers.view(), column.place, column.again.emplace());
  }

  // Notes are printed after the report. If the command fails, only the failure is printed.
  void note(const std::string& text) { notes_.push_back(fmt::format("{}: {}", name_, text)); }

  void explain_column(const ReadColumn& column) {
    require_config_fits(column.numbers.type, config_, column.place);
    ExplainedColumn explained;
    explained.place = column.place;
    explained.level = config_.level;
    explain_numbers(column.numbers, column.place, explained.explanation);
    columns_.push_back(std::move(explained));
  }

  void explain_numbers(const NumberView& numbers, const std::string& place,
                       Explanation& explanation) {
    ProgressBar bar(place, numbers.count, options_.common.shows_progress());
    EncodeConfig config = config_;
    config.progress = progress_to(bar, numbers.type);
    check(explain(numbers, config).into(explanation), place);
  }

  static ProgressCallback progress_to(ProgressBar& bar, NumberType type) {
    return [&bar, type, before = std::uint64_t{0}](const Progress& progress) mutable {
      bar.add(progress.numbers - before, (progress.numbers - before) * size_of(type));
      before = progress.numbers;
      return true;
    };
  }

  // Refuses options that would have no effect.
  void require_no_encode_args() const {
    const EncodeArgs& args = options_.encode;
    const bool none = args.level == kDefaultLevel && args.mode.empty() && args.delta.empty() &&
                      args.page_size.empty() && args.compat.empty() && !args.favor_decode_speed &&
                      args.decode_weight == 0;
    if (!none) fail_usage(name_, "encoding options need --again here");
  }

  void require_one() const {
    if (columns_.size() > 1) {
      fail_usage(name_, "{} columns; --chunk is for one (--column)", columns_.size());
    }
    const std::size_t chunks = columns_[0].explanation.chunks.size();
    if (*chunk_ < chunks) return;
    if (chunks == 0) fail(columns_[0].place, "has no chunk to show");
    fail_usage("--chunk", "{} is not within 0..{}", *chunk_, chunks - 1);
  }

  std::string report() const {
    std::string text;
    for (const ExplainedColumn& column : columns_) {
      if (!text.empty()) text += "\n\n";
      text += explain_report(column, chunk_);
    }
    return text;
  }

  const ExplainOptions& options_;
  std::string name_;
  InputOptions source_;
  EncodeConfig config_;
  DecodeConfig limits_;
  std::optional<std::size_t> chunk_;
  std::vector<ExplainedColumn> columns_;
  std::vector<std::string> notes_;
  ExitCode code_ = ExitCode::kDone;
};

void add_options(CLI::App& command, ExplainOptions& options) {
  add_argument(command, "FILE", options.input,
               "A file of any input format, a .pco file, a folder of compress, or -");
  add_encode_options(command, options.encode);
  add_source_options(command, options.source);
  command.add_flag("--flatten", options.source.flatten, "Flatten an array of several dimensions");
  add_value(command, "--chunk", "N", options.chunk, "Only this chunk (from 0)")
      ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max()));
  command.add_flag("--again", options.again, "Encode a .pco file again, and compare");
  command.add_flag("--json", options.json, "Print JSON");
  add_limit_options(command, options.limits);
  add_common_options(command, options.common);
  command.footer(kExplainFooter);
}

}  // namespace

Command add_explain_command(CLI::App& app) {
  const auto options = std::make_shared<ExplainOptions>();
  CLI::App* command = app.add_subcommand("explain", "Explain the compressed size of columns");
  add_options(*command, *options);
  return {command, [options] { return ExplainRunner(*options).run(); }};
}

}  // namespace numpact::cli
