// SPDX-License-Identifier: Apache-2.0
// Types of columns that can be appended to those of a folder, and their types there.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/table.hpp"
#include "io/overwrite.hpp"
#include "numbers/null_runs.hpp"
#include "pco/pco_file.hpp"

namespace numpact::cli {

// The types of a folder's columns, for InputOptions::stated; empty if there is no folder. The
// folder's turn and lock are not kept: the types are to be compared again under the lock.
// `options`: gets the restart points of the columns, unless others are requested.
std::vector<std::pair<std::string, StatedType>> stated_types(const std::string& folder,
                                                             const Overwrite& overwrite,
                                                             WriteOptions& options);

// Whether rows of one type, as Arrow prints it, can be appended to those of the other: the form of
// text (string, large_string, string_view; binary likewise) and the indices of a dictionary, which
// grow with it, do not matter.
bool have_same_values(const std::string& type, const std::string& other);

// Whether the metadata of a field declares the Enums of polars that are declared by that of another
// one; polars reads values that are none of the declared categories as nulls.
bool has_enums_of(const Metadata& given, const Metadata& stored);

// Whether columns of one type, as Arrow prints it, hold all values of the other exactly: of
// decimals with fewer digits, and of categories of text.
bool holds_values_of(const std::string& type, const std::string& other);

// Whether a column has no values but nulls, and so no type.
bool is_untyped(const Column& column);

// Whether a column of decimals has rows in a file of Arrow, as folders of older versions have them.
bool has_decimals_in_arrow(const table::Manifest& folder, const Column& column);
// A .pco file would not say where the point is.
void refuse_decimals(const Column& column, const std::string& place);

// Null rows of a column of numbers.
std::unique_ptr<NumberInput> null_rows_of(NumberType type, std::uint64_t rows);

}  // namespace numpact::cli
