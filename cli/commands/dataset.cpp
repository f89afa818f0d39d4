// SPDX-License-Identifier: Apache-2.0
#include "commands/dataset.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "arrow/ipc_sizes.hpp"
#include "failure.hpp"
#include "formats/formats.hpp"
#include "formats/others.hpp"
#include "io/cleanup.hpp"
#include "io/files.hpp"
#include "io/output_file.hpp"
#include "numbers/number_text.hpp"
#include "numpact/table_dataset.hpp"
#include "pco/folder_rows.hpp"
#include "pco/manifest.hpp"
#include "pco/table_folder.hpp"
#include "platform/files.hpp"
#include "platform/folders.hpp"
#include "platform/paths.hpp"
#include "report/text_table.hpp"

namespace numpact::cli {
namespace {

constexpr const char* kOption = "--partition-by";
// Of files that are read once, so fast; the tables get the level that was asked for.
constexpr unsigned kFirstLevel = 1;

// Writes columns of a folder in a format of Arrow, or their schema alone, without rows.
void write_arrow(const TableFolder& folder, const std::vector<std::size_t>& columns,
                 std::string_view format, bool has_rows, OutputFile& file) {
  FolderRows rows(folder, {columns, {}, std::nullopt, false}, {}, std::make_shared<ValueLimits>());
  const auto output = output_format(format, Purpose::kNumbers).make(file, rows.plan());
  while (has_rows) {
    const std::vector<ColumnBlock> blocks = rows.next();
    if (blocks.empty() || blocks[0].rows == 0) break;
    output->write(blocks);
  }
  output->finish();
}

// ---- the index ----

// Adds the tables below a folder, by their paths from the root, to those of the dataset or to the
// others. `path`: of the folder. `is_part`: whether all its names are of partitions.
void find_tables(const std::string& root, const std::string& path, bool is_part,
                 std::vector<std::string>& tables, std::vector<std::string>& others) {
  const std::string folder = path.empty() ? root : root + "/" + path;
  platform::FileInfo manifest;
  if (!path.empty() && platform::look_at(folder + "/" + std::string(kManifestName), manifest)) {
    (is_part ? tables : others).push_back(path);
  }
  std::vector<platform::FolderEntry> entries;
  if (!platform::list_folder(folder, entries)) fail_errno(folder, "");
  for (const platform::FolderEntry& entry : entries) {
    const bool is_named = table::is_partition(entry.name);
    // Unfinished folders, and those of other programs.
    if (!is_named && (entry.name.starts_with('.') || entry.name.starts_with('_'))) continue;
    if (!is_folder(folder + "/" + entry.name)) continue;
    find_tables(root, path.empty() ? entry.name : path + "/" + entry.name, is_part && is_named,
                tables, others);
  }
}

// The message of Arrow IPC with the schema: a stream begins with it, after the size of its head.
std::string schema_of(const TableFolder& folder, const std::string& root) {
  std::vector<std::size_t> columns(folder.columns().size());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  OutputFile file(root + "/" + std::string(table::kDatasetIndexName), true, Content::kBinary);
  write_arrow(folder, columns, "arrows", false, file);
  const FileBytes made(file.written_path());
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < 4; ++i)
    bytes |= static_cast<std::size_t>(made.bytes()[4 + i]) << 8 * i;
  return {reinterpret_cast<const char*>(made.bytes().data()), 8 + bytes};
}

// The schema of a table and its entry.
std::pair<std::string, std::string> describe(const std::string& root, const std::string& path) {
  const TableFolder folder(root + "/" + path);
  const std::vector<ManifestOther>& others = folder.manifest().others;
  std::vector<std::uint64_t> coded;
  for (std::size_t i = 0; i < others.size(); ++i) {
    const FileBytes file(folder.file(others[i].first_file()));
    const auto read = [&](std::uint64_t at, std::span<std::byte> out) {
      if (at + out.size() > file.bytes().size()) return false;
      std::memcpy(out.data(), &file.bytes()[static_cast<std::size_t>(at)], out.size());
      return true;
    };
    const auto sizes = internal::arrow::IpcSizes::of(read, file.bytes().size());
    if (sizes && sizes->has_dictionaries()) coded.push_back(i);
  }
  const FileBytes manifest(folder.path_of(std::string(kManifestName)));
  const std::string_view text(reinterpret_cast<const char*>(manifest.bytes().data()),
                              manifest.bytes().size());
  std::optional<FileBytes> file;
  const auto read = [&](const std::string& name, bool) {
    file.emplace(folder.file(name));
    return table::FileTail{file->bytes().size(), file->bytes()};
  };
  std::string entry;
  check(table::dataset_entry(path, text, coded, read).into(entry), folder.path_of(""));
  return {schema_of(folder, root), entry};
}

// `tables`: their paths from the root.
void write_index(const std::string& root, std::vector<std::string> tables) {
  std::sort(tables.begin(), tables.end());
  std::vector<std::pair<std::string, std::string>> described;
  for (const std::string& path : tables) described.push_back(describe(root, path));
  const std::string name = root + "/" + std::string(table::kDatasetIndexName);
  std::string text;
  check(table::dataset_index_text(described).into(text), name);
  OutputFile file(name, true, Content::kBinary);
  file.put(text);
  file.commit();
}

// ---- tables by the values of columns ----

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
  return set_type(text, type) && !is_bytes(text.type) ? "" : type;
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
  part.vectors = options.vectors;
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

std::size_t index_dataset(const std::string& path) {
  const std::string root = platform::without_end_separators(path);
  std::vector<std::string> tables;
  std::vector<std::string> others;
  find_tables(root, "", true, tables, others);
  if (tables.empty()) {
    throw Failure(ExitCode::kFailure, path,
                  "is no folder of tables with names like day=2024-01-01 or part-00000");
  }
  if (!others.empty()) {
    print_message(root + "/" + *std::min_element(others.begin(), others.end()) +
                  ": is a table, but is left out, since its name is neither NAME=VALUE nor part-N");
  }
  write_index(root, tables);
  return tables.size();
}

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
  whole.vectors.clear();  // which lose digits once, in their folders
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
