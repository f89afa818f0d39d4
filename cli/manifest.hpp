// SPDX-License-Identifier: Apache-2.0
// The file that makes a folder of Pco files a table.
#ifndef NUMPACT_CLI_MANIFEST_HPP
#define NUMPACT_CLI_MANIFEST_HPP

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "table.hpp"

namespace numpact::cli {

inline constexpr const char* kManifestName = "manifest.json";

struct ManifestColumn {
  Column column;            // name, logical type, number type, metadata
  std::string file;         // in the folder
  std::uint64_t count = 0;  // numbers in the file
  // Which rows are null: a Pco file with lengths of runs. Empty if there are no nulls.
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

struct Manifest {
  std::vector<ManifestColumn> columns;
  std::vector<SkippedColumn> skipped;  // were in the source, are not in the folder
  Metadata metadata;                   // of the table
};

std::string manifest_text(const Manifest& manifest);
// Reads the text of a manifest, within twice the memory of the text and 4 MiB. File names that lead
// out of the folder are refused. Throws Failure.
Manifest parse_manifest(std::string_view text, const std::string& place);

// A file name for a column: letters, digits, '_' and '-' stay, other bytes become %XX. Different
// from those in `taken` also where case does not count; added to them.
std::string column_file_name(const std::string& column, std::set<std::string>& taken);
// The file with the nulls of the column in that file: "a.pco" gives "a.nulls.pco", which is the
// file of no column, since the names of these have no other dot.
std::string null_file_name(const std::string& column_file);

// Metadata as JSON and back: a list of pairs, whose texts are as they are if they are UTF-8, and
// {"hex": "00ff"} else.
nlohmann::ordered_json metadata_to_json(const Metadata& metadata);
// None if the JSON is none of metadata_to_json().
std::optional<Metadata> metadata_from_json(const nlohmann::ordered_json& json);

}  // namespace numpact::cli

#endif
