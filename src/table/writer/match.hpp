// SPDX-License-Identifier: Apache-2.0
// Finds the columns of rows that are appended among those of the table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "numpact/table_writer.hpp"

namespace numpact::internal {

// The columns of a table in their order.
std::vector<table::ColumnEntry> entries_of(const table::Manifest& manifest);

// Sets the names of the files of a new part.
void name_files(const std::string& name, bool is_other, table::ColumnPlan& plan);

// Makes the plan of an append that of rows with the columns of `rows`, as plan_append().
Status match_rows(const table::Manifest& rows, table::SchemaChange allowed, std::uint32_t tag,
                  table::WritePlan& plan, std::string* why);

}  // namespace numpact::internal
