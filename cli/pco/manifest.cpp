// SPDX-License-Identifier: Apache-2.0
#include "pco/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "failure.hpp"
#include "json/json.hpp"
#include "report/json_text.hpp"
#include "report/text_table.hpp"
#include "text/utf8.hpp"

namespace numpact::cli {

namespace json = internal::json;
namespace {

// Version 2 adds nulls, metadata and the reasons why columns were left out, version 3 adds columns
// that Pco cannot hold. All versions up to 3 can be read, and 3 is written only if it is needed.
constexpr std::uint64_t kVersion = 2;
constexpr std::uint64_t kVersionWithOthers = 3;
constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
// Enough for 600,000 columns, whose manifest has about 64 MiB.
constexpr std::size_t kMaxValues = std::size_t{1} << 22;
constexpr std::size_t kMaxNameBytes = 120;
// Names of other columns in a summary, which is a line of a terminal.
constexpr std::size_t kMaxNamesInText = 8;

Json column_json(const ManifestColumn& entry) {
  const Column& column = entry.column;
  Json json;
  json["name"] = column.name;
  json["file"] = entry.file;
  json["logical_type"] = to_string(column.logical.kind);
  if (has_unit(column.logical.kind)) json["unit"] = to_string(column.logical.unit);
  if (!column.logical.timezone.empty()) json["timezone"] = column.logical.timezone;
  json["number_type"] = name_of(column.type);
  json["count"] = entry.count;
  if (entry.null_count > 0) {
    json["nulls"] = Json{{"file", entry.null_file}, {"count", entry.null_count}};
  }
  if (!column.nullable) json["nullable"] = false;
  if (!column.metadata.empty()) json["metadata"] = metadata_to_json(column.metadata);
  if (entry.nulls_dropped > 0) json["nulls_dropped"] = entry.nulls_dropped;
  return json;
}

// Memory that parsing may use: twice the size of the text, which is more than manifests written by
// this program need, plus a constant for tables of a few columns.
constexpr std::uint64_t kMemoryPerTextByte = 2;
constexpr std::uint64_t kFixedMemoryBytes = std::uint64_t{4} << 20;

// Limits the memory for the values parsed from a text.
class Memory {
 public:
  Memory(std::uint64_t text_bytes, std::string place)
      : left_(kFixedMemoryBytes + kMemoryPerTextByte * text_bytes), place_(std::move(place)) {}

  void take(std::uint64_t bytes) {
    if (bytes > left_) {
      throw Failure(ExitCode::kLimit, place_,
                    "limit exceeded: it says more than a table of its size can hold");
    }
    left_ -= bytes;
  }

 private:
  std::uint64_t left_;
  std::string place_;
};

std::optional<std::string> text_from(const json::View& json, Memory& memory);

std::optional<Metadata> metadata_from(const json::View& json, Memory& memory) {
  if (!json.is(json::Kind::kArray)) return std::nullopt;
  Metadata metadata;
  const std::size_t count = json.count();
  memory.take(std::uint64_t{count} * sizeof(Metadata::value_type));
  metadata.reserve(count);
  for (auto pair = json.first(); pair; pair = pair->next()) {
    if (!pair->is(json::Kind::kArray) || pair->count() != 2) return std::nullopt;
    const std::optional<json::View> first = pair->first();
    std::optional<std::string> key = text_from(*first, memory);
    std::optional<std::string> value = text_from(*first->next(), memory);
    if (!key || !value) return std::nullopt;
    metadata.emplace_back(std::move(*key), std::move(*value));
  }
  return metadata;
}

// Reads members of an object. Every error is a Failure of the same kind.
class Reader {
 public:
  using Kind = json::Kind;

  Reader(const json::View& json, const std::string& place, Memory& memory)
      : json_(json), place_(place), memory_(memory) {
    if (!json.is(Kind::kObject)) bad("is not an object");
  }

  [[noreturn]] void bad(const std::string& what) const {
    throw Failure(ExitCode::kCorrupt, place_, "corrupt: " + what);
  }

  json::View field(const char* name) const {
    const std::optional<json::View> found = json_.find(name);
    if (!found) bad(fmt::format("has no '{}'", name));
    return *found;
  }

  std::string text(const char* name) const {
    const json::View value = field(name);
    if (!value.is(Kind::kString)) bad(fmt::format("'{}' is not text", name));
    memory_.take(value.text().size());
    return value.string();
  }

  std::string optional_text(const char* name) const { return json_.find(name) ? text(name) : ""; }

  std::uint64_t number(const char* name) const {
    const std::optional<std::uint64_t> value = field(name).unsigned_integer();
    if (!value) bad(fmt::format("'{}' is not a count", name));
    return *value;
  }

  std::optional<json::View> optional_field(const char* name) const { return json_.find(name); }

  bool flag(const char* name, bool otherwise) const {
    const std::optional<json::View> value = json_.find(name);
    if (!value) return otherwise;
    const bool is_bool = value->is(Kind::kTrue) || value->is(Kind::kFalse);
    if (!is_bool) bad(fmt::format("'{}' is neither true nor false", name));
    return value->is(Kind::kTrue);
  }

  Metadata metadata(const char* name) const {
    const std::optional<json::View> value = json_.find(name);
    if (!value) return {};
    std::optional<Metadata> found = metadata_from(*value, memory_);
    if (!found) bad(fmt::format("'{}' is not a list of pairs of text", name));
    return std::move(*found);
  }

  // `bytes`: memory for each parsed element.
  json::View list(const char* name, std::size_t bytes, std::size_t& count) const {
    const json::View value = field(name);
    if (!value.is(Kind::kArray)) bad(fmt::format("'{}' is not a list", name));
    count = value.count();
    memory_.take(std::uint64_t{count} * bytes);
    return value;
  }

  Memory& memory() const { return memory_; }

 private:
  json::View json_;
  const std::string& place_;
  Memory& memory_;
};

void require_plain_file_name(const Reader& reader, const std::string& file) {
  const bool plain = !file.empty() && file != "." && file.find("..") == std::string::npos &&
                     file.find_first_of(std::string("/\\:\0", 4)) == std::string::npos;
  if (!plain) reader.bad(fmt::format("file name '{}' leads out of the folder", file));
}

void parse_nulls(const Reader& reader, const std::string& place, ManifestColumn& entry) {
  const std::optional<json::View> json = reader.optional_field("nulls");
  if (!json) return;
  const Reader nulls(*json, place, reader.memory());
  entry.null_file = nulls.text("file");
  require_plain_file_name(nulls, entry.null_file);
  entry.null_count = nulls.number("count");
  if (entry.null_count == 0 || entry.null_count + entry.count < entry.count) {
    nulls.bad(fmt::format("{} nulls for {} numbers", entry.null_count, entry.count));
  }
}

ManifestColumn parse_column(const json::View& json, const std::string& place, Memory& memory) {
  const Reader reader(json, place, memory);
  ManifestColumn entry;
  Column& column = entry.column;
  column.name = reader.text("name");
  entry.file = reader.text("file");
  require_plain_file_name(reader, entry.file);
  entry.count = reader.number("count");

  const std::string type_name = reader.text("number_type");
  const std::optional<NumberType> type = number_type_of_name(type_name);
  if (!type) reader.bad(fmt::format("number type '{}' is unknown", type_name));
  column.type = *type;

  const std::string kind_name = reader.text("logical_type");
  const std::optional<LogicalKind> kind = logical_kind_of(kind_name);
  if (!kind) reader.bad(fmt::format("logical type '{}' is unknown", kind_name));
  column.logical.kind = *kind;
  if (storage_of(*kind).value_or(column.type) != column.type) {
    reader.bad(fmt::format("logical type '{}' is not stored as {}", kind_name, type_name));
  }
  if (has_unit(*kind)) {
    const std::string unit_name = reader.text("unit");
    const std::optional<TimeUnit> unit = time_unit_of(unit_name);
    const bool fine = unit == TimeUnit::kMicro || unit == TimeUnit::kNano;
    const bool fits =
        unit && (*kind != LogicalKind::kTime32 || !fine) && (*kind != LogicalKind::kTime64 || fine);
    if (!fits) reader.bad(fmt::format("'{}' is not a unit of {}", unit_name, kind_name));
    column.logical.unit = *unit;
  }
  column.logical.timezone = reader.optional_text("timezone");
  column.nullable = reader.flag("nullable", true);
  column.metadata = reader.metadata("metadata");
  if (reader.optional_field("nulls_dropped")) {
    entry.nulls_dropped = reader.number("nulls_dropped");
  }
  parse_nulls(reader, place, entry);
  return entry;
}

// Rows that all columns have; none if it depends on the column, since nulls were dropped.
std::optional<std::uint64_t> rows_of(const Manifest& manifest) {
  for (const ManifestColumn& column : manifest.columns) {
    if (column.nulls_dropped == 0) return column.rows();
  }
  if (!manifest.columns.empty() || manifest.others.empty()) return std::nullopt;
  return manifest.others[0].rows;
}

void parse_others(const Reader& reader, const std::string& place, Manifest& manifest) {
  if (!reader.optional_field("others")) return;
  std::size_t count = 0;
  const json::View others = reader.list("others", sizeof(ManifestOther), count);
  manifest.others.reserve(count);
  for (auto json = others.first(); json; json = json->next()) {
    const Reader entry(*json, place, reader.memory());
    ManifestOther other{entry.text("name"), entry.text("file"), entry.number("position"),
                        entry.text("type"), entry.number("rows")};
    require_plain_file_name(entry, other.file);
    const bool is_next =
        manifest.others.empty() || other.position > manifest.others.back().position;
    if (!is_next || other.position >= manifest.columns.size() + count) {
      entry.bad(fmt::format("column '{}' has position {} of {}, which others exclude", other.name,
                            other.position, manifest.columns.size() + count));
    }
    manifest.others.push_back(std::move(other));
  }
  const std::optional<std::uint64_t> rows = rows_of(manifest);
  for (const ManifestOther& other : manifest.others) {
    if (rows && other.rows != *rows) {
      reader.bad(
          fmt::format("column '{}' has {} rows, the table has {}", other.name, other.rows, *rows));
    }
  }
}

Json text_to_json(const std::string& text) {
  if (!first_not_utf8(text)) return text;
  std::string hex;
  for (const char c : text) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return Json{{"hex", hex}};
}

// Decodes pairs of hexadecimal digits; none if other characters occur.
std::optional<std::string> bytes_of_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    std::uint8_t byte = 0;
    const std::from_chars_result read = std::from_chars(&hex[i], &hex[i] + 2, byte, 16);
    if (read.ec != std::errc() || read.ptr != &hex[i] + 2) return std::nullopt;
    bytes += static_cast<char>(byte);
  }
  if (hex.size() % 2 != 0) return std::nullopt;
  return bytes;
}

std::optional<std::string> text_from_json(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (!json.is_object() || json.size() != 1 || !json.contains("hex")) return std::nullopt;
  if (!json["hex"].is_string()) return std::nullopt;
  return bytes_of_hex(json["hex"].get_ref<const std::string&>());
}

std::optional<std::string> text_from(const json::View& json, Memory& memory) {
  memory.take(json.text().size());
  if (json.is(json::Kind::kString)) return json.string();
  const std::optional<json::View> hex = json.find("hex");
  if (!hex || json.count() != 1 || !hex->is(json::Kind::kString)) return std::nullopt;
  return bytes_of_hex(hex->string());
}

}  // namespace

std::string others_text(const std::vector<ManifestOther>& others, std::uint64_t bytes) {
  if (others.empty()) return {};
  std::string names;
  for (std::size_t i = 0; i < std::min(others.size(), kMaxNamesInText); ++i) {
    names += (i == 0 ? "" : ", ") + others[i].name;
  }
  if (others.size() > kMaxNamesInText) {
    names += fmt::format(" and {} more", others.size() - kMaxNamesInText);
  }
  return fmt::format("{} in {} bytes ({})", counted(others.size(), "other column"), grouped(bytes),
                     names);
}

std::string manifest_text(const Manifest& manifest) {
  Json json;
  json["format"] = "numpact-table";
  json["version"] = manifest.others.empty() ? kVersion : kVersionWithOthers;
  json["columns"] = Json::array();
  for (const ManifestColumn& column : manifest.columns) {
    json["columns"].push_back(column_json(column));
  }
  for (const ManifestOther& other : manifest.others) {
    json["others"].push_back(Json{{"name", other.name},
                                  {"file", other.file},
                                  {"position", other.position},
                                  {"type", other.type},
                                  {"rows", other.rows}});
  }
  json["skipped"] = Json::array();
  for (const SkippedColumn& column : manifest.skipped) {
    json["skipped"].push_back(
        Json{{"name", column.name}, {"type", column.type}, {"reason", column.reason}});
  }
  if (!manifest.metadata.empty()) json["metadata"] = metadata_to_json(manifest.metadata);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Manifest parse_manifest(std::string_view text, const std::string& place) {
  if (text.size() > kMaxBytes) throw Failure(ExitCode::kCorrupt, place, "corrupt: is too long");
  const std::optional<json::View> json = json::parse_strict(text, kMaxValues);
  if (!json) {
    throw Failure(ExitCode::kCorrupt, place,
                  fmt::format("corrupt: is no JSON, or deeper than {} levels, or of more than {} "
                              "values",
                              json::kMaxStrictDepth, kMaxValues));
  }
  Memory memory(text.size(), place);
  const Reader reader(*json, place, memory);
  if (reader.text("format") != "numpact-table") reader.bad("is not a manifest of numpact");
  if (reader.number("version") < 1 || reader.number("version") > kVersionWithOthers) {
    throw Failure(ExitCode::kCorrupt, place,
                  fmt::format("unsupported version: {}", reader.number("version")));
  }
  Manifest manifest;
  std::size_t count = 0;
  const json::View columns = reader.list("columns", sizeof(ManifestColumn), count);
  manifest.columns.reserve(count);
  for (auto column = columns.first(); column; column = column->next()) {
    manifest.columns.push_back(parse_column(*column, place, memory));
  }
  parse_others(reader, place, manifest);
  const json::View skipped = reader.list("skipped", sizeof(SkippedColumn), count);
  manifest.skipped.reserve(count);
  for (auto column = skipped.first(); column; column = column->next()) {
    const Reader entry(*column, place, memory);
    manifest.skipped.push_back(
        {entry.text("name"), entry.text("type"), entry.optional_text("reason")});
  }
  manifest.metadata = reader.metadata("metadata");
  return manifest;
}

std::uint64_t Manifest::rows() const {
  if (!columns.empty()) return columns[0].rows();
  return others.empty() ? 0 : others[0].rows;
}

std::vector<ManifestEntry> entries_of(const Manifest& manifest) {
  std::vector<ManifestEntry> entries(manifest.width());
  for (const ManifestOther& other : manifest.others) entries[other.position].other = &other;
  auto column = manifest.columns.begin();
  for (ManifestEntry& entry : entries) {
    if (entry.other == nullptr) entry.column = &*column++;
  }
  return entries;
}

std::string null_file_name(const std::string& column_file) {
  constexpr std::string_view kEnding = ".pco";
  return column_file.substr(0, column_file.size() - kEnding.size()) + ".nulls.pco";
}

Json metadata_to_json(const Metadata& metadata) {
  Json list = Json::array();
  for (const auto& [key, value] : metadata)
    list.push_back(Json::array({text_to_json(key), text_to_json(value)}));
  return list;
}

std::optional<Metadata> metadata_from_json(const Json& json) {
  if (!json.is_array()) return std::nullopt;
  Metadata metadata;
  for (const Json& pair : json) {
    if (!pair.is_array() || pair.size() != 2) return std::nullopt;
    std::optional<std::string> key = text_from_json(pair[0]);
    std::optional<std::string> value = text_from_json(pair[1]);
    if (!key || !value) return std::nullopt;
    metadata.emplace_back(std::move(*key), std::move(*value));
  }
  return metadata;
}

std::string column_file_name(const std::string& column, std::set<std::string>& taken,
                             std::string_view ending) {
  std::string stem;
  for (const char c : column) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte < 0x80 && (std::isalnum(byte) != 0 || c == '_' || c == '-');
    stem += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  if (stem.size() > kMaxNameBytes) stem.resize(kMaxNameBytes);
  if (stem.empty()) stem = "column";
  for (int copy = 1;; ++copy) {
    const std::string name = copy == 1 ? stem : fmt::format("{}~{}", stem, copy);
    std::string folded = name;
    std::transform(folded.begin(), folded.end(), folded.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (taken.insert(folded).second) return name + std::string(ending);
  }
}

}  // namespace numpact::cli
