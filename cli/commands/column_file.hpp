// SPDX-License-Identifier: Apache-2.0
// Writes the files of a column in the folder of a table.
#pragma once

#include <cstdint>
#include <string>

#include "formats/table.hpp"
#include "io/output_file.hpp"
#include "pco/locked_table.hpp"
#include "pco/manifest.hpp"
#include "pco/pco_file.hpp"

namespace numpact::cli {

// Writes the numbers and, if they are kept, the null rows. `entry` has the column and the name of
// its file; the rest is set. `place` names the input. Returns the bytes of all files. May be called
// for different columns at the same time.
std::uint64_t write_column(NumberInput& numbers, const OutputFolder& folder,
                           const WriteOptions& options, const std::string& place,
                           ManifestColumn& entry);

// Copies the numbers of the column `before` of `old` and adds those of `numbers`. `entry`, which
// begins as `before`, and the result are as above.
std::uint64_t append_column(NumberInput& numbers, const LockedTable& old,
                            const ManifestColumn& before, const OutputFolder& folder,
                            const WriteOptions& options, const std::string& place,
                            ManifestColumn& entry);

}  // namespace numpact::cli
