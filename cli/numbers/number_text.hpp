// SPDX-License-Identifier: Apache-2.0
// Formats numbers, dates and times as text.
#pragma once

#include <cstddef>
#include <string>

#include "numbers/logical_type.hpp"
#include "numpact/types.hpp"

namespace numpact::cli {

// Appends the number at `index` as the shortest text that parses back to the same number.
void append_number(std::string& text, const NumberView& numbers, std::size_t index);

// Appends the value of the number at `index`, e.g. "2024-02-29 12:00:00.5Z". A value outside its
// logical type (a time past midnight) is written as the bare number.
void append_value(std::string& text, const LogicalType& logical, const NumberView& numbers,
                  std::size_t index);

// Same for CSV, where whole floats end in ".0".
void append_csv_value(std::string& text, const LogicalType& logical, const NumberView& numbers,
                      std::size_t index);

}  // namespace numpact::cli
