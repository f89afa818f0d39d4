// SPDX-License-Identifier: Apache-2.0
// The file that makes a folder of Pco files a table.
#ifndef NUMPACT_CLI_MANIFEST_HPP
#define NUMPACT_CLI_MANIFEST_HPP

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "table.hpp"

namespace numpact::cli {

inline constexpr const char* kManifestName = "manifest.json";

struct ManifestColumn {
  Column column;     // name, logical type, number type
  std::string file;  // in the folder
  std::uint64_t count = 0;
  std::uint64_t nulls_dropped = 0;
};

struct SkippedColumn {
  std::string name;
  std::string type;
};

struct Manifest {
  std::vector<ManifestColumn> columns;
  std::vector<SkippedColumn> skipped;  // were in the source, are not in the folder
};

std::string manifest_text(const Manifest& manifest);
// Reads FOLDER/manifest.json. File names that lead out of the folder are refused. Throws Failure.
Manifest read_manifest(const std::string& folder);

// A file name for a column: letters, digits, '_' and '-' stay, other bytes become %XX. Different
// from those in `taken` also where case does not count; added to them.
std::string column_file_name(const std::string& column, std::set<std::string>& taken);

}  // namespace numpact::cli

#endif
