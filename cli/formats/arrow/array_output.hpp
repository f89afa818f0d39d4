// SPDX-License-Identifier: Apache-2.0
// Columns to write as arrays of Arrow's C data interface, which Arrow or pyarrow takes over.
#pragma once

#include <string>

#include "formats/arrow/arrow_table.hpp"
#include "formats/others.hpp"
#include "formats/table.hpp"

namespace numpact::cli {

// The type of the values of a column, without name and metadata.
Owned<ArrowSchema> export_type(const Column& column);
// A copy of the rows of a column, in that type. Errors name `place`.
Owned<ArrowArray> export_rows(const Column& column, const ColumnBlock& block,
                              const std::string& place);
// A copy of texts, in one of the types of texts, but of no categories.
Owned<ArrowArray> export_texts(const TextBlock& block, table::TextType type,
                               const std::string& place);

}  // namespace numpact::cli
