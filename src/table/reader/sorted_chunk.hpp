// SPDX-License-Identifier: Apache-2.0
// The part of a chunk of sorted numbers that a filter needs, by binary search.
#pragma once

#include "numpact/table_filter.hpp"
#include "numpact/table_reader.hpp"
#include "table/reader/column_file.hpp"

namespace numpact::internal {

// The numbers of a chunk that may satisfy a filter, counted from the first of the column file: all,
// or if its metadata say that it is sorted, those between two restart points. An example: times of
// a day in a chunk of 2^20, of which a minute is read; it needs 12 single numbers to find the two
// or three intervals of 2^14 that are decoded then, instead of all 64.
table::RowRange numbers_that_may_match(const ColumnFile& file, std::size_t chunk,
                                       const table::NumberFilter& filter,
                                       const DecodeConfig& config);

}  // namespace numpact::internal
