// SPDX-License-Identifier: Apache-2.0
// The index of a dataset.
#include "commands/dataset.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "arrow/ipc_sizes.hpp"
#include "failure.hpp"
#include "formats/formats.hpp"
#include "io/files.hpp"
#include "numpact/table_dataset.hpp"
#include "pco/manifest.hpp"
#include "platform/files.hpp"
#include "platform/folders.hpp"
#include "platform/paths.hpp"

namespace numpact::cli {
namespace {

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

}  // namespace

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

}  // namespace numpact::cli
