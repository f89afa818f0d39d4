// SPDX-License-Identifier: Apache-2.0
// Datasets: folders of tables whose names stand for values of columns, and their index
// (docs/format/table-folder.md). All functions throw a Failure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "commands/compress_options.hpp"
#include "io/output_file.hpp"
#include "pco/folder_rows.hpp"
#include "pco/table_folder.hpp"

namespace numpact::cli {

// Writes the index of a dataset, in one step; returns the count of its tables.
std::size_t index_dataset(const std::string& root);
// Same for tables by their paths from the root.
void write_index(const std::string& root, std::vector<std::string> tables);

// Writes columns of a folder in a format of Arrow, or their schema alone, without rows.
void write_arrow(const TableFolder& folder, const std::vector<std::size_t>& columns,
                 std::string_view format, bool has_rows, OutputFile& file);

// Writes a dataset by the columns that --partition-by names. It appears in one step.
void compress_partitioned(const CompressOptions& options);

}  // namespace numpact::cli
