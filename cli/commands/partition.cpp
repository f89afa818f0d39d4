// SPDX-License-Identifier: Apache-2.0
// compress --partition-by
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "commands/dataset.hpp"
#include "failure.hpp"
#include "formats/formats.hpp"
#include "formats/others.hpp"
#include "io/cleanup.hpp"
#include "io/files.hpp"
#include "numbers/number_text.hpp"
#include "numpact/table_dataset.hpp"
#include "pco/manifest.hpp"
#include "platform/files.hpp"
#include "platform/paths.hpp"
#include "report/text_table.hpp"

namespace numpact::cli {
namespace {

constexpr const char* kOption = "--partition-by";
// Of files that are read once, so fast; the tables get the level that was asked for.
constexpr unsigned kFirstLevel = 1;

// The text of the value of a row; none: null.
void set_value(std::optional<std::string>& value, const ColumnBlock& block, const Column& column,
               std::size_t row) {
  if (block.texts != nullptr ? block.texts->is_null(row) : block.is_null(row)) {
    return value.reset();
  }
  if (!value) value.emplace();  // else its memory is used again
  value->clear();
  if (block.texts != nullptr) {
    *value += block.texts->text(row);
  } else {
    append_value(*value, column.logical, block.numbers, row);
  }
}

std::string folder_name(const Column& column, const std::optional<std::string>& value,
                        const std::string& input) {
  constexpr std::size_t kDateBytes = 10;
  const LogicalKind kind = column.logical.kind;
  const bool is_date = value && kind == LogicalKind::kDate32;
  if (is_date && (value->size() != kDateBytes || value->starts_with("0000"))) {
    throw Failure(ExitCode::kFailure, column_place(input, column.name),
                  *value + " is no date of a year from 1 to 9999");
  }
  const bool is_whole = !column.other && kind == LogicalKind::kNumber;
  std::string why;
  std::string name;
  if (table::partition_name(column.name, value, is_whole, &why).into(name).ok()) return name;
  throw Failure(ExitCode::kFailure, input, why);
}

struct Partition {
  std::string path;                 // from the root of the dataset
  std::vector<std::uint64_t> rows;  // of the table
};

// The rows of a table by the values of columns.
std::vector<Partition> divide(const TableFolder& folder, const std::vector<std::size_t>& columns,
                              const std::string& input) {
  FolderRows rows(folder, {columns, {}, std::nullopt, true}, {}, std::make_shared<ValueLimits>());
  const std::vector<Column>& named = rows.plan().columns;
  std::vector<Partition> made;
  std::unordered_map<std::string, std::size_t> known;  // of them, by the values
  std::vector<std::optional<std::string>> values(columns.size());
  std::string key;
  std::uint64_t first = 0;
  for (auto blocks = rows.next(); !blocks.empty() && blocks[0].rows > 0; blocks = rows.next()) {
    for (std::size_t row = 0; row < blocks[0].rows; ++row) {
      key.clear();
      for (std::size_t c = 0; c < values.size(); ++c) {
        set_value(values[c], blocks[c], named[c], row);
        key += values[c] ? std::to_string(values[c]->size()) + ':' + *values[c] : ":";
      }
      const auto [place, is_new] = known.try_emplace(key, made.size());
      if (is_new && made.size() == table::kMaxPartitions) {
        throw Failure(ExitCode::kFailure, input,
                      fmt::format("{}: more than {} folders: choose a column with fewer values",
                                  kOption, made.size()));
      }
      if (is_new) {
        std::string& path = made.emplace_back().path;
        for (std::size_t c = 0; c < values.size(); ++c) {
          path += (c == 0 ? "" : "/") + folder_name(named[c], values[c], input);
        }
      }
      made[place->second].rows.push_back(first + row);
    }
    first += blocks[0].rows;
  }
  return made;
}

// Makes the folders of a path that are missing.
void make_folders(const std::string& path) {
  for (std::size_t end = path.find('/', 1); end != std::string::npos;
       end = path.find('/', end + 1)) {
    const std::string folder = path.substr(0, end);
    if (!platform::make_folder(folder, false) && !is_folder(folder)) fail_errno(folder, "");
  }
}

// The type of a column if its values name no folders; else empty.
std::string unfit_type(const ManifestEntry& entry) {
  table::TextFile text;
  const table::Column* const numbers = entry.numbers;
  if (numbers != nullptr && numbers->text.empty()) {
    const bool is_whole =
        numbers->kind == LogicalKind::kNumber && kind_of(numbers->type) != NumberKind::kFloat;
    if (is_whole || numbers->kind == LogicalKind::kDate32) return {};
    return describe(column_of(*numbers).logical, numbers->type);
  }
  const std::string type = numbers != nullptr ? type_text(numbers->text[0]) : entry.other->type;
  const bool is_text = set_type(text, type) && (text.type == table::TextType::kString ||
                                                text.type == table::TextType::kLargeString);
  return is_text ? "" : type;
}

// The columns that the option names.
std::vector<std::size_t> find_columns(const TableFolder& folder, const CompressOptions& options) {
  std::vector<std::size_t> made;
  std::vector<std::string> names;
  for (const ManifestEntry& entry : folder.columns()) names.push_back(entry.name());
  for (const std::string& name : split_names(kOption, options.partition_by)) {
    made.push_back(find_name(names, options.input, name));
    if (std::count(made.begin(), made.end(), made.back()) > 1) {
      fail_usage(kOption, fmt::format("names column '{}' twice", name));
    }
    const std::string type = unfit_type(folder.columns()[made.back()]);
    if (type.empty()) continue;
    throw Failure(ExitCode::kFailure, column_place(options.input, name),
                  "is " + type +
                      ": folders are named by whole numbers, dates and text, so "
                      "convert it");
  }
  if (made.size() < names.size()) return made;
  throw Failure(ExitCode::kFailure, options.input,
                fmt::format("{}: tables need a column besides those of names", kOption));
}

// Writes the tables of a dataset. `rows`: a file for the rows without the columns of names.
void write_tables(const TableFolder& folder, const std::vector<Partition>& partitions,
                  const std::vector<std::size_t>& named, const CompressOptions& options,
                  const std::string& root, OutputFile& rows) {
  std::vector<std::size_t> rest;
  for (std::size_t at = 0; at < folder.columns().size(); ++at) {
    if (std::find(named.begin(), named.end(), at) == named.end()) rest.push_back(at);
  }
  write_arrow(folder, rest, "arrow", true, rows);
  const std::unique_ptr<TableInput> table = open_table(rows.written_path(), "arrow", {});
  CompressOptions part;
  part.input = options.input;
  part.encode.level = options.encode.level;
  part.threads = options.threads;
  part.common.quiet = true;
  for (const Partition& partition : partitions) {
    part.output = root + "/" + partition.path;
    make_folders(part.output);
    table->select(partition.rows);
    compress(part, table.get());
  }
}

}  // namespace

void compress_partitioned(const CompressOptions& options) {
  const std::string output = platform::without_end_separators(options.output);
  if (output.empty() || output == "-") fail_usage(kOption, "makes a folder (-o FOLDER)");
  platform::FileInfo found;
  if (platform::look_at(output, found)) {
    throw Failure(ExitCode::kFailure, output, "exists already");
  }
  make_folders(output);
  TemporaryPath work(output, TemporaryPath::Kind::kFolder);
  CompressOptions whole = options;
  whole.output = work.path() + "/table";
  whole.encode.level = kFirstLevel;
  whole.common.quiet = true;
  compress(whole);
  if (!is_folder(whole.output)) {
    throw Failure(ExitCode::kFailure, options.input, fmt::format("{} divides tables", kOption));
  }
  const TableFolder folder(whole.output);
  const std::vector<std::size_t> named = find_columns(folder, options);
  const std::vector<Partition> partitions = divide(folder, named, options.input);
  const std::string root = work.path() + "/dataset";
  make_folders(root + "/");
  OutputFile rows(work.path() + "/rows", false, Content::kBinary);
  write_tables(folder, partitions, named, options, root, rows);
  std::vector<std::string> paths;
  for (const Partition& partition : partitions) paths.push_back(partition.path);
  write_index(root, paths);
  work.move(root, output);
  if (options.common.quiet) return;
  print_message(fmt::format("{}: {} rows divided by {}", output,
                            grouped(folder.columns()[0].rows()),
                            fmt::join(split_names(kOption, options.partition_by), ", ")));
}

}  // namespace numpact::cli
