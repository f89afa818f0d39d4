// SPDX-License-Identifier: Apache-2.0
// The manifest file that makes a folder of Pco files a table.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "formats/table.hpp"

namespace numpact::cli {

inline constexpr std::string_view kOtherEnding = ".arrow";
inline constexpr const char* kManifestName = "manifest.json";

struct ManifestColumn {
  Column column;            // name, logical type, number type, metadata
  std::string file;         // in the folder
  std::uint64_t count = 0;  // numbers in the file
  // A Pco file with the run lengths of null and other rows. Empty if there are no nulls.
  std::string null_file;
  std::uint64_t null_count = 0;
  std::uint64_t nulls_dropped = 0;  // rows of the source that are not in the folder

  std::uint64_t rows() const { return count + null_count; }
};

struct SkippedColumn {
  std::string name;
  std::string type;
  std::string reason;
};

// A column that Pco cannot hold, in a file of Arrow.
struct ManifestOther {
  std::string name;
  std::string file;            // in the folder
  std::uint64_t position = 0;  // among all columns of the table
  std::string type;            // as Arrow prints it
  std::uint64_t rows = 0;
};

struct Manifest {
  std::vector<ManifestColumn> columns;
  std::vector<ManifestOther> others;   // by position; `columns` have the other positions
  std::vector<SkippedColumn> skipped;  // columns of the source that are not in the folder
  Metadata metadata;                   // of the table

  std::size_t width() const { return columns.size() + others.size(); }
  // Rows of the table; 0 if it has no column.
  std::uint64_t rows() const;
};

// One column of either kind.
struct ManifestEntry {
  const ManifestColumn* column = nullptr;
  const ManifestOther* other = nullptr;  // exactly one is set

  const std::string& name() const { return column != nullptr ? column->column.name : other->name; }
  std::uint64_t rows() const { return column != nullptr ? column->rows() : other->rows; }
};

// All columns in the order of the table. The manifest must outlive the result.
std::vector<ManifestEntry> entries_of(const Manifest& manifest);

// "2 other columns in 7,814 bytes (name, tags)". `bytes`: of their files. Empty without
// such columns.
std::string others_text(const std::vector<ManifestOther>& others, std::uint64_t bytes);

std::string manifest_text(const Manifest& manifest);
// Parses a manifest. Uses at most twice the memory of the text plus 4 MiB. Refuses file names that
// lead out of the folder. Throws Failure.
Manifest parse_manifest(std::string_view text, const std::string& place);

// Returns a file name for a column and adds it to `taken`. Letters, digits, '_' and '-' are kept,
// other bytes become %XX. The name without its ending differs from those in `taken` even if case is
// ignored.
std::string column_file_name(const std::string& column, std::set<std::string>& taken,
                             std::string_view ending = ".pco");
// The file with the nulls of the column in that file: "a.pco" gives "a.nulls.pco". No column can
// have this file, since file names of columns contain no other dot.
std::string null_file_name(const std::string& column_file);

// Metadata as JSON and back: a list of pairs. Text that is not UTF-8 is written as {"hex": "00ff"}.
nlohmann::ordered_json metadata_to_json(const Metadata& metadata);
// Returns none if the JSON does not have the form that metadata_to_json() writes.
std::optional<Metadata> metadata_from_json(const nlohmann::ordered_json& json);

}  // namespace numpact::cli
