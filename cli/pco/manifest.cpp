// SPDX-License-Identifier: Apache-2.0
#include "pco/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "failure.hpp"
#include "report/text_table.hpp"

namespace numpact::cli {
namespace {

// Names of other columns in a summary, which is a line of a terminal.
constexpr std::size_t kMaxNamesInText = 8;

ManifestColumn column_of(table::Column&& from) {
  ManifestColumn made;
  made.column.name = std::move(from.name);
  made.column.logical = {from.kind, from.unit, std::move(from.timezone)};
  made.column.type = from.type;
  made.column.nullable = from.nullable;
  made.column.metadata = std::move(from.metadata);
  made.file = std::move(from.file);
  made.count = from.count;
  made.null_file = std::move(from.null_file);
  made.null_count = from.null_count;
  made.nulls_dropped = from.nulls_dropped;
  made.parts = std::move(from.parts);
  return made;
}

table::Column column_of(const ManifestColumn& from) {
  table::Column made;
  made.name = from.column.name;
  made.file = from.file;
  made.null_file = from.null_file;
  made.timezone = from.column.logical.timezone;
  made.metadata = from.column.metadata;
  made.count = from.count;
  made.null_count = from.null_count;
  made.nulls_dropped = from.nulls_dropped;
  made.parts = from.parts;
  made.type = from.column.type;
  made.kind = from.column.logical.kind;
  made.unit = from.column.logical.unit;
  made.nullable = from.column.nullable;
  return made;
}

[[noreturn]] void fail(const Status& status, const std::string& why, ExitCode code,
                       const std::string& place) {
  throw Failure(
      code, place,
      why.empty() ? status.message() : fmt::format("{}: {}", to_string(status.kind()), why));
}

}  // namespace

std::vector<table::NumberPart> ManifestColumn::all_parts() const {
  return column_of(*this).all_parts();
}

std::string others_text(const std::vector<ManifestOther>& others, std::uint64_t bytes) {
  if (others.empty()) return "";
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

std::string manifest_text(const Manifest& manifest, const std::string& place) {
  table::Manifest made;
  made.columns.reserve(manifest.columns.size());
  for (const ManifestColumn& column : manifest.columns) made.columns.push_back(column_of(column));
  made.others = manifest.others;
  made.skipped = manifest.skipped;
  made.metadata = manifest.metadata;
  std::string why;
  Result<std::string> text = table::manifest_text(made, &why);
  if (text.ok()) return *std::move(text);
  const bool is_limit = text.status().kind() == ErrorKind::kLimitExceeded;
  fail(text.status(), why, is_limit ? ExitCode::kLimit : ExitCode::kFailure, place);
}

Manifest parse_manifest(std::string_view text, const std::string& place) {
  std::string why;
  Result<table::Manifest> parsed = table::parse_manifest(text, &why);
  if (!parsed.ok()) fail(parsed.status(), why, exit_code_of(parsed.status().kind()), place);
  Manifest manifest;
  manifest.columns.reserve(parsed->columns.size());
  for (table::Column& column : parsed->columns) {
    manifest.columns.push_back(column_of(std::move(column)));
  }
  manifest.others = std::move(parsed->others);
  manifest.skipped = std::move(parsed->skipped);
  manifest.metadata = std::move(parsed->metadata);
  return manifest;
}

std::uint64_t Manifest::rows() const {
  if (!columns.empty()) return columns[0].rows();
  return others.empty() ? 0 : others[0].rows;
}

std::vector<ManifestEntry> entries_of(const Manifest& manifest) {
  std::vector<ManifestEntry> entries(manifest.width());
  for (const ManifestOther& other : manifest.others) {
    entries[static_cast<std::size_t>(other.position)].other = &other;
  }
  auto column = manifest.columns.begin();
  for (ManifestEntry& entry : entries) {
    if (entry.other == nullptr) entry.column = &*column++;
  }
  return entries;
}

}  // namespace numpact::cli
