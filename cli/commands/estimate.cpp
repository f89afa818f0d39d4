// SPDX-License-Identifier: Apache-2.0
// numpact estimate
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "commands/commands.hpp"
#include "commands/common_options.hpp"
#include "commands/encode_options.hpp"
#include "commands/source.hpp"
#include "commands/usage_error.hpp"
#include "formats/formats.hpp"
#include "formats/table.hpp"
#include "numpact/estimate.hpp"
#include "report/inspect_json.hpp"
#include "report/print.hpp"
#include "report/text_table.hpp"

namespace numpact::cli {
namespace {

constexpr const char* kEstimateFooter = R"(
Examples:
  numpact estimate prices.npy
  numpact estimate trips.parquet                 all columns, and their sum
  numpact estimate trips.parquet --column fare --level 12
)";

struct EstimateOptions {
  std::string input;
  bool json = false;
  SourceArgs source;
  EncodeArgs encode;
  CommonOptions common;
};

struct EstimatedColumn {
  std::string name;  // empty: the numbers of an array
  NumberType type = NumberType::kU8;
  std::size_t count = 0;
  SizeEstimate estimate;
};

class EstimateRunner {
 public:
  explicit EstimateRunner(const EstimateOptions& options)
      : options_(options),
        name_(options.input == "-" ? "(stdin)" : options.input),
        source_(parse_source_args(options.source, NullPolicy::kDrop)),
        config_(parse_encode_args(options.encode)) {}

  ExitCode run() {
    const std::unique_ptr<TableInput> table =
        open_table(std::make_unique<Input>(options_.input), options_.source.from, source_);
    const auto use = [this](const ReadColumn& column) { estimate_column(column); };
    const ExitCode code = for_each_column(*table, name_, source_, notes_, use);
    if (columns_.empty()) fail(name_, "no column to estimate");
    print_report(options_.json ? json() : report());
    for (const std::string& text : notes_) {
      if (!options_.common.quiet) print_message(text);
    }
    return code;
  }

 private:
  void estimate_column(const ReadColumn& column) {
    require_config_fits(column.numbers.type, config_, column.place);
    SizeEstimate estimate;
    check(estimate_size(column.numbers, config_).into(estimate), column.place);
    columns_.push_back({column.name, column.numbers.type, column.numbers.count, estimate});
  }

  std::string report() const {
    using Align = TextTable::Align;
    const bool has_names = columns_.size() > 1 || !columns_[0].name.empty();
    TextTable table;
    if (has_names) table.add_column("column", Align::kLeft, 30);
    for (const char* const title : {"numbers", "type", "raw", "estimated", "plus or minus"}) {
      table.add_column(title, Align::kRight);
    }
    table.add_column("ratio", Align::kRight);
    table.add_column("mode", Align::kLeft);
    table.add_column("delta", Align::kLeft);
    EstimatedColumn sum;
    std::uint64_t raw_sum = 0;
    for (const EstimatedColumn& column : columns_) {
      const std::uint64_t raw = std::uint64_t{column.count} * size_of(column.type);
      table.add_row(row(column, raw, has_names, name_of(column.type)));
      raw_sum += raw;
      sum.count += column.count;
      sum.estimate.bytes += column.estimate.bytes;
      sum.estimate.error_bytes += column.estimate.error_bytes;
    }
    if (columns_.size() > 1) {
      sum.name = "sum";
      sum.estimate.mode_text.clear();
      sum.estimate.delta_text.clear();
      table.add_rule();
      table.add_row(row(sum, raw_sum, has_names, ""));
    }
    return table.text();
  }

  static std::vector<std::string> row(const EstimatedColumn& column, std::uint64_t raw,
                                      bool has_names, std::string_view type) {
    const SizeEstimate& found = column.estimate;
    const double ratio =
        static_cast<double>(raw) / static_cast<double>(std::max<std::uint64_t>(found.bytes, 1));
    std::vector<std::string> cells;
    if (has_names) cells.push_back(column.name);
    for (std::string cell : {grouped(column.count), std::string(type), grouped(raw),
                             grouped(found.bytes), grouped(found.error_bytes),
                             fmt::format("{:.3f}", ratio), found.mode_text, found.delta_text}) {
      cells.push_back(std::move(cell));
    }
    return cells;
  }

  std::string json() const {
    Json json;
    json["level"] = config_.level;
    json["columns"] = Json::array();
    for (const EstimatedColumn& column : columns_) {
      Json entry;
      entry["place"] = column.name.empty() ? name_ : column_place(name_, column.name);
      entry["type"] = name_of(column.type);
      entry["count"] = column.count;
      entry["raw_bytes"] = std::uint64_t{column.count} * size_of(column.type);
      entry["estimated_bytes"] = column.estimate.bytes;
      entry["error_bytes"] = column.estimate.error_bytes;
      entry["mode"] = column.estimate.mode_text;
      entry["delta"] = column.estimate.delta_text;
      json["columns"].push_back(std::move(entry));
    }
    return dump(json);
  }

  const EstimateOptions& options_;
  std::string name_;
  InputOptions source_;
  EncodeConfig config_;
  std::vector<EstimatedColumn> columns_;
  std::vector<std::string> notes_;
};

void add_options(CLI::App& command, EstimateOptions& options) {
  add_argument(command, "FILE", options.input, "A file of any input format, or -");
  add_encode_options(command, options.encode);
  add_source_options(command, options.source);
  command.add_flag("--flatten", options.source.flatten, "Flatten an array of several dimensions");
  command.add_flag("--json", options.json, "Print JSON");
  add_common_options(command, options.common);
  command.footer(kEstimateFooter);
}

}  // namespace

Command add_estimate_command(CLI::App& app) {
  const auto options = std::make_shared<EstimateOptions>();
  CLI::App* command =
      app.add_subcommand("estimate", "Estimate the compressed size of columns, without encoding");
  add_options(*command, *options);
  return {command, [options] { return EstimateRunner(*options).run(); }};
}

}  // namespace numpact::cli
