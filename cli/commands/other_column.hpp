// SPDX-License-Identifier: Apache-2.0
// Writes the files of columns that Pco cannot hold, with the checksums of their blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "formats/others.hpp"
#include "formats/table.hpp"
#include "io/output_file.hpp"
#include "pco/locked_table.hpp"
#include "pco/manifest.hpp"

namespace numpact::cli {

// All functions throw a Failure that names the column of the input or the file. `place`: the first.

// Writes the column `index` of the table to the file `name` of a folder. The result lacks the
// position.
ManifestOther write_other_column(TableInput& table, std::size_t index, const OutputFolder& folder,
                                 const std::string& name);
// The same after the rows of a column of an old table, all of which are checked and copied.
ManifestOther append_other_column(TableInput& table, std::size_t index, const LockedTable& old,
                                  const ManifestOther& before, const OutputFolder& folder,
                                  const std::string& place);

// Decodes the files that were written.
void verify_other_columns(const OutputFolder& folder, const std::vector<ManifestOther>& others);

}  // namespace numpact::cli
