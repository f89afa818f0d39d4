// SPDX-License-Identifier: Apache-2.0
// Datasets: folders of tables whose names stand for values of columns, and their index
// (docs/format/table-folder.md). All functions throw a Failure.
#pragma once

#include <cstddef>
#include <string>

#include "commands/compress_options.hpp"

namespace numpact::cli {

// Writes the index of a dataset, in one step; returns the count of its tables.
std::size_t index_dataset(const std::string& root);
// Writes a dataset by the columns that --partition-by names. It appears in one step.
void compress_partitioned(const CompressOptions& options);

}  // namespace numpact::cli
