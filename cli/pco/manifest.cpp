// SPDX-License-Identifier: Apache-2.0
#include "pco/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "failure.hpp"
#include "report/text_table.hpp"

namespace numpact::cli {
namespace {

// Names of other columns in a summary, which is a line of a terminal.
constexpr std::size_t kMaxNamesInText = 8;

}  // namespace

Column column_of(const ManifestColumn& column) {
  Column made;
  made.name = column.name;
  made.logical = {column.kind, column.unit, column.timezone, column.decimal};
  made.type = column.type;
  made.nullable = column.nullable;
  made.metadata = column.metadata;
  for (const table::TextFile& text : column.text) made.text.push_back(text.without_file());
  return made;
}

ManifestColumn column_of(const Column& column) {
  ManifestColumn made;
  made.name = column.name;
  made.timezone = column.logical.timezone;
  made.metadata = column.metadata;
  made.type = column.type;
  made.kind = column.logical.kind;
  made.unit = column.logical.unit;
  made.decimal = column.logical.decimal;
  made.nullable = column.nullable;
  made.text = column.text;
  return made;
}

std::string others_text(const std::vector<std::string>& names, std::uint64_t bytes) {
  if (names.empty()) return "";
  std::string listed;
  for (std::size_t i = 0; i < std::min(names.size(), kMaxNamesInText); ++i) {
    listed += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > kMaxNamesInText) {
    listed += fmt::format(" and {} more", names.size() - kMaxNamesInText);
  }
  return fmt::format("{} in {} bytes ({})", counted(names.size(), "other column"), grouped(bytes),
                     listed);
}

std::string manifest_text(const Manifest& manifest, const std::string& place) {
  std::string why;
  Result<std::string> text = table::manifest_text(manifest, &why);
  if (text.ok()) return *std::move(text);
  fail_table(text.status(), {"", "", std::move(why)}, place);
}

void fail_table(const Status& status, const table::Failure& failure, const std::string& file) {
  // What is wrong lies in files, not in how this program was called.
  const bool is_usage = status.kind() == ErrorKind::kInvalidArgument;
  const bool is_plain = failure.text.empty() || failure.text == status.message();
  const std::string place = failure.column.empty() ? file : column_place(file, failure.column);
  if (status.kind() == ErrorKind::kIo && status.system_error() != 0 && is_plain) {
    errno = status.system_error();
    fail_errno(place, status.what());
  }
  throw Failure(is_usage ? ExitCode::kFailure : exit_code_of(status.kind()), place,
                is_plain ? message_of(status) : failure.text);
}

std::vector<ManifestEntry> entries_of(const Manifest& manifest) {
  std::vector<ManifestEntry> entries(manifest.columns.size() + manifest.others.size());
  for (const ManifestOther& other : manifest.others) {
    entries[static_cast<std::size_t>(other.position)].other = &other;
  }
  auto column = manifest.columns.begin();
  for (ManifestEntry& entry : entries) {
    if (entry.other == nullptr) entry.numbers = &*column++;
  }
  return entries;
}

}  // namespace numpact::cli
