// SPDX-License-Identifier: Apache-2.0
// The manifest of a table folder, with the columns that commands read and write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/table.hpp"
#include "numpact/table.hpp"

namespace numpact::cli {

inline constexpr std::string_view kNumberEnding = ".pco";
inline constexpr std::string_view kOtherEnding = ".arrow";
using table::kManifestName;
// Columns of a table, at most: readers accept a limited count of values in a manifest, which has at
// least 6 for each column and one more for many.
inline constexpr std::size_t kMaxTableColumns = table::kMaxManifestValues / 7;

struct ManifestColumn {
  Column column;            // name, logical type, number type, metadata
  std::string file;         // in the folder
  std::uint64_t count = 0;  // numbers in the file
  // A Pco file with the run lengths of null and other rows. Empty if there are no nulls.
  std::string null_file;
  std::uint64_t null_count = 0;
  std::uint64_t nulls_dropped = 0;       // rows of the source that are not in the folder
  std::vector<table::NumberPart> parts;  // empty: one, which the other members describe

  std::uint64_t rows() const { return count + null_count; }
  bool has_parts() const { return parts.size() > 1; }
  std::vector<table::NumberPart> all_parts() const;
};

using SkippedColumn = table::Skipped;
// A column that Pco cannot hold, in a file of Arrow.
using ManifestOther = table::Other;

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

// As numpact/table.hpp describes. They throw a Failure that names `place`.
std::string manifest_text(const Manifest& manifest, const std::string& place);
Manifest parse_manifest(std::string_view text, const std::string& place);

}  // namespace numpact::cli
