// SPDX-License-Identifier: Apache-2.0
#include "commands/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>
#include <string_view>

#include "commands/encode_options.hpp"
#include "failure.hpp"
#include "report/text_table.hpp"
#include "text/nearest.hpp"

namespace numpact::cli {
namespace {

NullPolicy parse_nulls(const std::string& arg, NullPolicy by_default) {
  if (arg.empty()) return by_default;
  if (arg == "keep") return NullPolicy::kKeep;
  if (arg == "error") return NullPolicy::kError;
  if (arg == "drop") return NullPolicy::kDrop;
  fail_choice("--nulls", arg, {"keep", "error", "drop"});
}

void parse_dtypes(const std::vector<std::string>& args, InputOptions& options) {
  for (const std::string& arg : args) {
    const std::size_t equals = arg.rfind('=');
    if (equals == std::string::npos) {
      options.dtype = parse_dtype(arg);
    } else {
      options.column_dtypes.emplace_back(arg.substr(0, equals),
                                         *parse_dtype(arg.substr(equals + 1)));
    }
  }
}

// Accepts one character that is not a line end; "tab" and "\t" mean the tab.
char parse_character(const char* option, const std::string& arg) {
  if (arg == "tab" || arg == "\\t") return '\t';
  const bool fits =
      arg.size() == 1 && arg != "\n" && arg != "\r" && static_cast<unsigned char>(arg[0]) < 0x80;
  if (!fits) fail_usage(option, "'{}' is not one ASCII character", arg);
  return arg[0];
}

std::vector<std::string> split(const std::string& args) {
  std::vector<std::string> list;
  for (std::size_t from = 0; from <= args.size();) {
    const std::size_t comma = std::min(args.find(',', from), args.size());
    list.push_back(args.substr(from, comma - from));
    from = comma + 1;
  }
  return list;
}

CsvOptions parse_csv_args(const SourceArgs& args) {
  CsvOptions csv;
  csv.has_header = !args.no_header;
  if (!args.delimiter.empty()) csv.delimiter = parse_character("--delimiter", args.delimiter);
  csv.quote.reset();
  if (!args.quote.empty() && args.quote != "none") {
    csv.quote = parse_character("--quote", args.quote);
  }
  csv.decimal = parse_character("--decimal", args.decimal);
  if (csv.decimal != '.' && csv.decimal != ',') {
    fail_usage("--decimal", "'{}' is neither . nor ,", args.decimal);
  }
  if (csv.quote && csv.quote == csv.delimiter) {
    fail_usage("--quote", "'{}' is the delimiter too", *csv.quote);
  }
  if (csv.delimiter && csv.decimal == *csv.delimiter) {
    fail_usage("--decimal", "'{}' is the delimiter too", csv.decimal);
  }
  if (!args.null_values.empty()) csv.null_values = split(args.null_values);
  if (!args.memory.empty()) csv.memory_bytes = parse_size("--memory", args.memory);
  return csv;
}

}  // namespace

InputOptions parse_source_args(const SourceArgs& args, NullPolicy nulls_by_default) {
  InputOptions options;
  parse_dtypes(args.dtypes, options);
  options.column = args.column;
  options.skip = args.skip;
  options.nulls = parse_nulls(args.nulls, nulls_by_default);
  options.flatten = args.flatten;
  options.csv = parse_csv_args(args);
  return options;
}

std::size_t read_all(NumberInput& input, NumberType type, std::vector<std::uint64_t>& numbers) {
  const std::size_t size = size_of(type);
  std::size_t used = 0;  // bytes
  for (;;) {
    const NumberView block = input.next();
    if (block.count == 0) break;
    const std::size_t bytes = block.count * size;
    const std::size_t args = (used + bytes + 7) / 8;
    if (args > numbers.capacity()) numbers.reserve(args + args / 2);
    numbers.resize(args);
    std::memcpy(reinterpret_cast<std::byte*>(numbers.data()) + used, block.data, bytes);
    used += bytes;
  }
  return numbers_in(used, type);
}

namespace {

void read_column(TableInput& table, std::size_t index, const std::string& file,
                 std::optional<NumberType> dtype, std::vector<std::string>& notes,
                 const std::function<void(const ReadColumn&)>& use) {
  Column column;
  const std::unique_ptr<NumberInput> input = open_column(table, index, file, dtype, column);
  std::vector<std::uint64_t> numbers;
  const std::size_t count = read_all(*input, column.type, numbers);
  if (input->null_count() > 0) {
    notes.push_back(fmt::format("{}: column '{}': {} nulls left out", file, column.name,
                                grouped(input->null_count())));
  }
  const NumberView view(column.type, numbers.data(), count);
  if (!table.has_names()) return use({"", file, view});
  use({column.name, column_place(file, column.name), view});
}

}  // namespace

ExitCode for_each_column(TableInput& table, const std::string& file, const InputOptions& options,
                         std::vector<std::string>& notes,
                         const std::function<void(const ReadColumn&)>& use) {
  if (!table.has_names() && options.column) {
    fail_usage(file, "this format has no columns, --column does not apply");
  }
  const std::vector<std::string> names = names_of(table.columns());
  const auto dtypes = table.has_names() ? requested_dtypes(names, file, options)
                                        : std::vector<std::optional<NumberType>>{options.dtype};
  if (options.column) {
    const std::size_t index = find_column(table, file, *options.column);
    read_column(table, index, file, dtypes[index], notes, use);
    return ExitCode::kDone;
  }
  std::set<std::size_t> skipped;
  for (const std::string& name : options.skip) skipped.insert(find_name(names, file, name));
  ExitCode code = ExitCode::kDone;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (skipped.contains(i)) continue;
    if (const std::string& unfit = table.columns()[i].unfit; !unfit.empty()) {
      notes.push_back(fmt::format("{}: column '{}' is left out: {}", file, names[i], unfit));
      continue;
    }
    // One type for all is for plain numbers.
    const bool is_plain = table.columns()[i].logical.kind == LogicalKind::kNumber;
    const bool converts = is_plain || !table.has_names();
    try {
      read_column(table, i, file, converts ? dtypes[i] : std::nullopt, notes, use);
    } catch (const Failure& failure) {
      if (!table.has_names()) throw;
      print_message(failure.what());
      code = failure.code();
    }
  }
  return code;
}

}  // namespace numpact::cli
