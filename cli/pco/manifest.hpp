// SPDX-License-Identifier: Apache-2.0
// The manifest of a table folder, as commands use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/table.hpp"
#include "numpact/table.hpp"
#include "numpact/table_reader.hpp"

namespace numpact::cli {

inline constexpr std::string_view kNumberEnding = ".pco";
using table::kManifestName;
// Columns of a table, at most: readers accept a limited count of values in a manifest, which has at
// least 6 for each column and one more for many.
inline constexpr std::size_t kMaxTableColumns = table::kMaxManifestValues / 7;

using table::Manifest;
using ManifestColumn = table::Column;
using ManifestEntry = table::ColumnEntry;  // one column of either kind
using ManifestOther = table::Other;
using SkippedColumn = table::Skipped;

// A column without its files, and back.
Column column_of(const ManifestColumn& column);
ManifestColumn column_of(const Column& column);

// All columns in the order of the table. The manifest must outlive the result.
std::vector<ManifestEntry> entries_of(const Manifest& manifest);

// "2 other columns in 7,814 bytes (name, tags)". `bytes`: of their files. Empty without
// such columns.
std::string others_text(const std::vector<std::string>& names, std::uint64_t bytes);

// As numpact/table.hpp describes. Throws a Failure that names `place`.
std::string manifest_text(const Manifest& manifest, const std::string& place);
// The failure of a table as this program's. `file`: what it concerns, if not a file of the table.
[[noreturn]] void fail_table(const Status& status, const table::Failure& failure,
                             const std::string& file);

}  // namespace numpact::cli
