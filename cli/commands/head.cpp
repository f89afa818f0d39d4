// SPDX-License-Identifier: Apache-2.0
// numpact head
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "commands/commands.hpp"
#include "commands/common_options.hpp"
#include "commands/source.hpp"
#include "commands/usage_error.hpp"
#include "formats/formats.hpp"
#include "formats/others.hpp"
#include "formats/table.hpp"
#include "io/files.hpp"
#include "io/output_file.hpp"
#include "numbers/number_text.hpp"
#include "pco/folder_rows.hpp"
#include "pco/pco_file.hpp"
#include "pco/table_folder.hpp"
#include "report/print.hpp"
#include "report/text_table.hpp"

namespace numpact::cli {
namespace {

constexpr const char* kHeadFooter = R"(
Examples:
  numpact head trips                                     10 rows of all columns of a folder
  numpact head trips -n 3 --columns day,fare
  numpact head prices.npy.pco
  numpact head trips.parquet --csv
)";

constexpr std::uint64_t kDefaultRows = 10;
// More rows are a matter of decompress, which does not hold them in memory.
constexpr std::uint64_t kMaxRows = std::uint64_t{1} << 20;
// Characters of a cell of the text table.
constexpr std::size_t kMaxCellWidth = 40;

struct HeadOptions {
  std::string input;
  std::uint64_t rows = kDefaultRows;
  std::string columns;
  bool csv = false;
  std::string from;
  std::string dtype;
  LimitArgs limits;
};

// The first rows of one column.
struct FirstRows {
  Column column;
  std::vector<std::uint64_t> numbers;
  std::vector<std::uint8_t> valid;
  std::uint64_t rows = 0;

  ColumnBlock block() const {
    ColumnBlock view;
    view.numbers = NumberView(column.type, numbers.data(), static_cast<std::size_t>(rows));
    view.valid = valid;
    view.rows = rows;
    return view;
  }
};

// Copies the numbers of at most `max_rows` rows to their rows.
FirstRows first_rows(NumberInput& input, const Column& column, std::uint64_t max_rows) {
  const std::size_t size = size_of(column.type);
  std::vector<std::byte> numbers;
  NullRuns* const runs = input.null_runs();
  std::uint64_t rows = 0;
  while (rows < max_rows) {
    const NumberView block = input.next();
    if (block.count == 0) break;
    const std::span<const std::byte> bytes = bytes_of(block);
    numbers.insert(numbers.end(), bytes.begin(), bytes.end());
    rows = runs != nullptr ? runs->rows() : numbers_in(numbers.size(), column.type);
  }
  if (runs != nullptr) rows = runs->rows();
  FirstRows result;
  result.column = column;
  result.rows = std::min(rows, max_rows);
  const auto n = static_cast<std::size_t>(result.rows);
  result.numbers.assign((n * size + 7) / 8, 0);
  auto* const out = reinterpret_cast<std::byte*>(result.numbers.data());
  if (runs == nullptr || runs->nulls() == 0) {
    if (n > 0) std::memcpy(out, numbers.data(), n * size);
    return result;
  }
  runs->finish();
  bool is_null = true;
  std::size_t at = 0;
  for (const std::uint64_t run : runs->take()) {
    is_null = !is_null;
    const std::size_t count =
        std::min<std::size_t>(static_cast<std::size_t>(run), n - result.valid.size());
    const std::size_t row = result.valid.size();
    result.valid.insert(result.valid.end(), count, is_null ? 0 : 1);
    if (is_null || count == 0) continue;
    std::memcpy(out + row * size, numbers.data() + at, count * size);
    at += count * size;
  }
  return result;
}

class Head {
 public:
  explicit Head(const HeadOptions& options)
      : options_(options),
        name_(options.input == "-" ? "(stdin)" : options.input),
        config_(parse_limit_args(options.limits)) {}

  ExitCode run() {
    if (is_folder(options_.input)) {
      show_folder();
    } else {
      auto input = std::make_unique<Input>(options_.input);
      is_pco(*input) ? show_pco(std::move(input)) : show_table(std::move(input));
    }
    return ExitCode::kDone;
  }

 private:
  bool is_pco(Input& input) const {
    if (!options_.from.empty()) return false;
    return input.path().ends_with(".pco") || (options_.dtype.empty() && begins_as_pco(input));
  }

  // The columns that the user chose, or all.
  std::vector<std::size_t> chosen(std::span<const std::string> names) const {
    std::vector<std::size_t> columns;
    if (options_.columns.empty()) {
      for (std::size_t i = 0; i < names.size(); ++i) columns.push_back(i);
      return columns;
    }
    for (const std::string& name : split_names("--columns", options_.columns)) {
      columns.push_back(find_name(names, name_, name));
    }
    return columns;
  }

  void leave_out(const std::string& column, const std::string& reason) const {
    if (!options_.columns.empty()) fail(column_place(name_, column), reason);
    print_message("{}: column '{}' is left out: {}", name_, column, reason);
  }

  void show_folder() {
    const TableFolder folder(options_.input);
    RowQuery query;
    query.columns = folder.find_all(options_.columns);
    const auto limits = std::make_shared<ValueLimits>(config_.limits);
    const auto leave = [&](const std::string& name, const std::string& type, bool needs_arrow) {
      leave_out(name, fmt::format("values of type {} {}", type,
                                  needs_arrow ? "need Arrow" : "have no text"));
    };
    leave_out_unshown(folder, true, limits, leave, query.columns);
    if (query.columns.empty()) fail(name_, "holds no columns to show");
    query.range = {0, std::min(options_.rows, folder.columns()[query.columns[0]].rows())};
    query.wants_text = true;
    FolderRows rows(folder, query, config_, limits);
    const std::vector<ColumnBlock> blocks =
        query.range->count == 0 ? std::vector<ColumnBlock>(query.columns.size()) : rows.next();
    for (const ColumnBlock& block : blocks) {
      limits->add_output(bytes_of(block.numbers).size(), name_);
    }
    show(rows.plan(), blocks);
  }

  void show_pco(std::unique_ptr<Input> input) {
    if (!options_.columns.empty()) fail_usage("--columns", "a .pco file has no columns");
    PcoNumbers numbers(std::move(input), name_, config_, parse_dtype(options_.dtype));
    Column column;
    column.name = "number";
    if (!numbers.type()) numbers.next();  // throws unless the file is intact and empty
    column.type = numbers.type().value_or(NumberType::kU8);
    show_columns({first_rows(numbers, column, options_.rows)});
  }

  void show_table(std::unique_ptr<Input> input) {
    SourceArgs args;
    if (!options_.dtype.empty()) args.dtypes = {options_.dtype};
    InputOptions source = parse_source_args(args, NullPolicy::kKeep);
    const std::unique_ptr<TableInput> table = open_table(std::move(input), options_.from, source);
    if (!table->has_names() && !options_.columns.empty()) {
      fail_usage("--columns", "this format has no columns");
    }
    std::vector<FirstRows> columns;
    for (const std::size_t at : chosen(names_of(table->columns()))) {
      const Column& described = table->columns()[at];
      if (!described.unfit.empty()) {
        leave_out(described.name, described.unfit);
        continue;
      }
      Column column;
      const std::unique_ptr<NumberInput> numbers =
          open_column(*table, at, name_, std::nullopt, column);
      if (!table->has_names()) column.name = "number";
      columns.push_back(first_rows(*numbers, column, options_.rows));
    }
    if (columns.empty()) fail(name_, "holds no columns to show");
    show_columns(columns);
  }

  void show_columns(const std::vector<FirstRows>& columns) const {
    OutputPlan plan;
    std::vector<ColumnBlock> blocks;
    for (const FirstRows& column : columns) {
      plan.columns.push_back(column.column);
      blocks.push_back(column.block());
    }
    show(plan, blocks);
  }

  void show(const OutputPlan& plan, const std::vector<ColumnBlock>& blocks) const {
    if (!options_.csv) return print_report(table_of(plan, blocks));
    OutputFile file("-", false, Content::kText);
    const std::unique_ptr<TableOutput> output = make_csv(file, plan);
    output->write(blocks);
    output->finish();
    file.commit();
  }

  static std::string table_of(const OutputPlan& plan, const std::vector<ColumnBlock>& blocks) {
    TextTable table;
    for (std::size_t c = 0; c < blocks.size(); ++c) {
      const bool is_text = blocks[c].texts != nullptr;
      table.add_column(one_line(plan.columns[c].name),
                       is_text ? TextTable::Align::kLeft : TextTable::Align::kRight, kMaxCellWidth);
    }
    for (std::size_t row = 0; row < blocks[0].rows; ++row) {
      std::vector<std::string> cells;
      for (std::size_t c = 0; c < blocks.size(); ++c) {
        cells.push_back(cell_of(plan.columns[c], blocks[c], row));
      }
      table.add_row(std::move(cells));
    }
    return table.text();
  }

  static std::string cell_of(const Column& column, const ColumnBlock& block, std::size_t row) {
    if (block.texts != nullptr) {
      return block.texts->is_null(row) ? "null" : one_line(std::string(block.texts->text(row)));
    }
    std::string text;
    if (block.is_null(row)) return "null";
    append_value(text, column.logical, block.numbers, row);
    return text;
  }

  const HeadOptions& options_;
  std::string name_;
  DecodeConfig config_;
};

void add_options(CLI::App& command, HeadOptions& options) {
  add_argument(command, "FILE", options.input,
               "A folder of compress, a .pco file, a file of any input format, or -");
  add_value(command, "-n,--rows", "N", options.rows, "How many rows")
      ->check(whole_number(1, kMaxRows))
      ->capture_default_str();
  add_value(command, "--columns", "NAME,...", options.columns,
            "Some columns, in this order; a name with a comma in double quotes");
  command.add_flag("--csv", options.csv, "Print CSV, with all digits and whole texts");
  add_value(command, "--from", "FORMAT", options.from,
            input_format_names(Purpose::kNumbers) + "; default: by name or content");
  add_value(command, "--dtype", "TYPE", options.dtype, "Number type of raw input");
  add_limit_options(command, options.limits);
  command.footer(kHeadFooter);
}

}  // namespace

Command add_head_command(CLI::App& app) {
  const auto options = std::make_shared<HeadOptions>();
  CLI::App* command = app.add_subcommand("head", "Show the first rows of a file or a folder");
  add_options(*command, *options);
  return {command, [options] { return Head(*options).run(); }};
}

}  // namespace numpact::cli
