// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/try.hpp"
#include "platform/paths.hpp"
#include "table/part_names.hpp"
#include "table/reader/failure.hpp"
#include "table/reader/folder.hpp"
#include "table/reader/table_data.hpp"

namespace numpact::table {

using internal::fail;

namespace {

// Attempts to open a folder that is replaced meanwhile, which nobody does this often while a few
// files are opened.
constexpr int kMaxOpenAttempts = 100;

void list_entries(Reader::Table& table) {
  const Manifest& manifest = table.manifest;
  table.entries.resize(manifest.columns.size() + manifest.others.size());
  for (const Other& other : manifest.others) {
    table.entries[static_cast<std::size_t>(other.position)].other = &other;
  }
  auto column = manifest.columns.begin();
  for (ColumnEntry& entry : table.entries) {
    if (entry.other == nullptr) entry.numbers = &*column++;
  }
  table.by_name.resize(table.entries.size());
  for (std::size_t i = 0; i < table.by_name.size(); ++i) table.by_name[i] = i;
  std::stable_sort(table.by_name.begin(), table.by_name.end(), [&](std::size_t a, std::size_t b) {
    return table.entries[a].name() < table.entries[b].name();
  });
  table.slots = std::vector<Reader::Table::Slot>(table.entries.size());
}

Status read_manifest(Reader::Table& table, Failure* failure) {
  const std::string name = kManifestName;
  std::string why;
  const auto failed = [&](const Status& status) {
    return fail(failure, status, table.place_of(name), "", why);
  };
  std::unique_ptr<RangeSource> source;
  if (const Status status = table.files->open(name, why).into(source); !status.ok()) {
    return failed(status);
  }
  std::vector<std::byte> own;
  std::span<const std::byte> text;
  if (const auto bytes = source->bytes()) {
    text = *bytes;
  } else {
    const Status status = internal::read_whole(*source, kMaxManifestBytes, own);
    if (!status.ok()) return failed(status);
    text = own;
  }
  const Status status =
      parse_manifest({reinterpret_cast<const char*>(text.data()), text.size()}, &why)
          .into(table.manifest);
  return status.ok() ? status : failed(status);
}

// What parse_manifest() checks and list_entries() relies on.
Status check_others(const Manifest& manifest) {
  const std::size_t width = manifest.columns.size() + manifest.others.size();
  std::uint64_t first_free = 0;
  for (const Other& other : manifest.others) {
    if (other.position < first_free || other.position >= width || other.parts.empty()) {
      return Status(ErrorKind::kInvalidArgument, "another column is not described");
    }
    first_free = other.position + 1;
  }
  return {};
}

Status open_listed(Reader::Table& table, Failure* failure) {
  list_entries(table);
  const Status held = table.files->hold(internal::files_of(table.manifest));
  return held.ok() ? held : fail(failure, held, table.path, "");
}

Status open_table(Reader::Table& table, Failure* failure) {
  NUMPACT_TRY(read_manifest(table, failure));
  return open_listed(table, failure);
}

}  // namespace

std::string Failure::message() const {
  std::string line = file;
  if (!column.empty()) line.append(line.empty() ? "" : ", ").append("column \"" + column + "\"");
  return line.append(line.empty() ? "" : ": ").append(text);
}

Files::~Files() = default;
Status Files::hold(std::span<const std::string>) { return {}; }
OtherColumns::~OtherColumns() = default;

Result<Reader> Reader::open(const std::string& folder, const DecodeConfig& config,
                            Failure* failure) noexcept {
  return internal::guarded_value<Reader>([&](Reader& reader) -> Status {
    const std::string path = internal::platform::without_end_separators(folder);
    for (int attempt = 1;; ++attempt) {
      std::string why;
      std::shared_ptr<internal::Folder> files;
      if (const Status status = internal::Folder::open(path, files, why); !status.ok()) {
        return fail(failure, status, path, "", why);
      }
      auto table = std::make_shared<Table>();
      table->path = path;
      table->files = files;
      table->config = config;
      table->config.file_end = nullptr;
      const Status status = open_table(*table, failure);
      // Replacing a folder removes its old files; those of the new folder are complete.
      const bool is_whole = status.ok() && !files->is_missing_files();
      if (!is_whole && attempt < kMaxOpenAttempts && !files->is_current()) continue;
      reader.table_ = std::move(table);
      return status;
    }
  });
}

Result<Reader> Reader::open(std::shared_ptr<Files> files, const DecodeConfig& config,
                            Failure* failure) noexcept {
  return internal::guarded_value<Reader>([&](Reader& reader) -> Status {
    if (files == nullptr) return Status(ErrorKind::kInvalidArgument, "there are no files");
    auto table = std::make_shared<Table>();
    table->files = std::move(files);
    table->config = config;
    table->config.file_end = nullptr;
    NUMPACT_TRY(open_table(*table, failure));
    reader.table_ = std::move(table);
    return {};
  });
}

Result<Reader> Reader::open(Manifest manifest, std::shared_ptr<Files> files,
                            const DecodeConfig& config, Failure* failure) noexcept {
  return internal::guarded_value<Reader>([&](Reader& reader) -> Status {
    if (files == nullptr) return Status(ErrorKind::kInvalidArgument, "there are no files");
    NUMPACT_TRY(check_others(manifest));
    auto table = std::make_shared<Table>();
    table->manifest = std::move(manifest);
    table->files = std::move(files);
    table->config = config;
    table->config.file_end = nullptr;
    NUMPACT_TRY(open_listed(*table, failure));
    reader.table_ = std::move(table);
    return {};
  });
}

Result<Reader> Reader::open_file(const std::string& path, const DecodeConfig& config,
                                 Failure* failure) noexcept {
  return internal::guarded_value<Reader>([&](Reader& reader) -> Status {
    auto table = std::make_shared<Table>();
    table->path = path;
    table->is_file = true;
    table->config = config;
    table->config.file_end = &table->file_end;
    auto part = std::make_unique<internal::ColumnPart>();
    std::unique_ptr<RangeSource> source;
    std::string why;
    Status status = internal::map_file_at(path, source, why);
    if (status.ok()) status = part->file.open(std::move(source), 0, {}, table->config);
    table->config.file_end = nullptr;
    if (!status.ok()) return fail(failure, status, path, "", why);
    const std::optional<NumberType> type = part->file.index().type();
    if (!type) {
      status = Status(ErrorKind::kTypeMismatch, "the file is empty and states no type");
      return fail(failure, status, path, "");
    }
    Column& column = table->manifest.columns.emplace_back();
    column.file = path.substr(internal::platform::name_start(path));
    column.name = column.file;
    if (column.name.size() > 4 && column.name.ends_with(".pco")) {
      column.name.resize(column.name.size() - 4);
    }
    column.type = *type;
    column.count = part->rows = part->file.index().count();
    part->place = path;
    list_entries(*table);
    auto open = std::make_unique<internal::OpenColumn>();
    open->parts.push_back(std::move(part));
    table->slots[0].column = std::move(open);
    reader.table_ = std::move(table);
    return {};
  });
}

const FileEnd& Reader::file_end() const noexcept { return table_->file_end; }
const Manifest& Reader::manifest() const noexcept { return table_->manifest; }
const std::string& Reader::path() const noexcept { return table_->path; }
const std::shared_ptr<Files>& Reader::files() const noexcept { return table_->files; }
std::span<const ColumnEntry> Reader::columns() const noexcept { return table_->entries; }

Result<std::size_t> Reader::find(std::string_view name, Failure* failure) const noexcept {
  return internal::guarded_value<std::size_t>([&](std::size_t& position) -> Status {
    const auto& order = table_->by_name;
    const auto found = std::partition_point(order.begin(), order.end(), [&](std::size_t i) {
      return table_->entries[i].name() < name;
    });
    const bool is_there = found != order.end() && table_->entries[*found].name() == name;
    const bool is_twice =
        is_there && found + 1 != order.end() && table_->entries[*(found + 1)].name() == name;
    if (is_there && !is_twice) {
      position = *found;
      return {};
    }
    const Status status(ErrorKind::kInvalidArgument,
                        is_twice ? "several columns have this name" : "no column has this name");
    return fail(failure, status, table_->path, std::string(name), status.what());
  });
}

Result<std::vector<Condition>> Reader::conditions(std::string_view filter,
                                                  Failure* failure) const noexcept {
  std::string message;
  std::vector<FilterComparison> comparisons;
  const Status status = parse_filter(filter, &message).into(comparisons);
  if (!status.ok()) return fail(failure, status, "", "", message);
  return conditions(comparisons, failure);
}

Result<std::vector<Condition>> Reader::conditions(std::span<const FilterComparison> comparisons,
                                                  Failure* failure) const noexcept {
  return internal::guarded_value<std::vector<Condition>>([&](auto& made) -> Status {
    for (const FilterComparison& comparison : comparisons) {
      std::size_t column = 0;
      NUMPACT_TRY(find(comparison.column, failure).into(column));
      made.push_back({column, comparison});
      if (!comparison.other) continue;
      const Status found = find(*comparison.other, failure).into(made.back().other);
      if (found.ok()) continue;
      if (failure != nullptr) failure->text += " (text is written in single quotes)";
      return found;
    }
    return {};
  });
}

Status Reader::load(std::size_t column, Failure* failure) const noexcept {
  return internal::guarded([&] {
    const internal::OpenColumn* open = nullptr;
    return table_->load(column, open, failure);
  });
}

Result<std::shared_ptr<const TextValues>> Reader::texts(std::size_t column,
                                                        Failure* failure) const noexcept {
  return internal::guarded_value<std::shared_ptr<const TextValues>>([&](auto& made) -> Status {
    const internal::OpenColumn* open = nullptr;
    NUMPACT_TRY(table_->load(column, open, failure));
    made = open->texts;
    if (made != nullptr) return {};
    const Status status(ErrorKind::kTypeMismatch, "the column does not hold texts");
    return fail(failure, status, table_->path, table_->entries[column].name());
  });
}

Status Reader::Table::check_position(std::size_t position, Failure* failure) const {
  if (position < entries.size()) return {};
  return fail(failure, Status(ErrorKind::kInvalidArgument, "the table has no such column"), path,
              "");
}

Status Reader::Table::load(std::size_t position, const internal::OpenColumn*& column,
                           Failure* failure) const {
  NUMPACT_TRY(check_position(position, failure));
  const ColumnEntry& entry = entries[position];
  if (entry.other != nullptr) {
    const Status status(ErrorKind::kTypeMismatch, "the column does not hold numbers");
    return fail(failure, status, path, "",
                "column \"" + entry.name() + "\" is of type " + entry.other->type + ", in " +
                    entry.other->first_file() + ": only columns of numbers can be read");
  }
  Slot& slot = slots[position];
  const internal::Lock lock(slot.mutex);
  if (slot.column == nullptr) {
    auto open = std::make_unique<internal::OpenColumn>();
    std::uint64_t first_row = 0;
    for (const NumberPart& described : entry.numbers->all_parts()) {
      auto part = std::make_unique<internal::ColumnPart>();
      part->first_row = first_row;
      NUMPACT_TRY(open_part(*entry.numbers, described, *part, failure));
      first_row += part->rows;
      open->parts.push_back(std::move(part));
    }
    if (entry.numbers->kind == Kind::kText) {
      NUMPACT_TRY(open_texts(*entry.numbers, *open, failure));
    }
    slot.column = std::move(open);
  }
  column = slot.column.get();
  return {};
}

Status Reader::Table::open_texts(const Column& column, internal::OpenColumn& open,
                                 Failure* failure) const {
  const TextFile& described = column.text.at(0);
  std::string why;
  std::unique_ptr<RangeSource> source;
  Status status = files->open(described.file, why).into(source);
  if (status.ok()) status = internal::read_texts(*source, described, config, open.texts);
  return status.ok() ? status : fail(failure, status, place_of(described.file), column.name, why);
}

Status Reader::Table::open_part(const Column& column, const NumberPart& described,
                                internal::ColumnPart& part, Failure* failure) const {
  std::string why;
  part.rows = described.rows();
  part.place = place_of(described.file);
  std::unique_ptr<RangeSource> source;
  Status status = files->open(described.file, why).into(source);
  if (status.ok()) {
    status = part.file.open(std::move(source), described.count, described.sum, config);
  }
  const ChunkIndex& index = part.file.index();
  if (status.ok() &&
      (index.count() != described.count || index.type().value_or(column.type) != column.type)) {
    status = Status(ErrorKind::kCorrupt, "has another type or count than the manifest says");
    const std::string found(index.type() ? name_of(*index.type()) : "no");
    why = "corrupt: has another type or count than the manifest says: " +
          std::to_string(index.count()) + " " + found + " numbers, not " +
          std::to_string(described.count) + " " + std::string(name_of(column.type));
  }
  if (!status.ok()) return fail(failure, status, part.place, column.name, why);
  if (described.null_count == 0) return {};
  status = files->open(described.null_file, why).into(source);
  if (status.ok()) status = internal::read_nulls(*source, described, config, part.nulls);
  return status.ok() ? status
                     : fail(failure, status, place_of(described.null_file), column.name, why);
}

}  // namespace numpact::table
