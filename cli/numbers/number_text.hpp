// SPDX-License-Identifier: Apache-2.0
// Formats numbers, dates and times as text.
#pragma once

#include <cstddef>
#include <string>

#include "numbers/logical_type.hpp"
#include "numpact/types.hpp"

namespace numpact::cli {

// Bounds the bytes of a value's text. The longest is a timestamp, with a year of 12 digits and its
// sign, nanoseconds and 'Z': 39, rounded up.
inline constexpr std::size_t kMaxValueBytes = 64;

// Writes the number at `index` to `to`, which has kMaxValueBytes: the shortest text that parses
// back to the same number. Returns its end.
char* put_number(char* to, const NumberView& numbers, std::size_t index);

// Same for the value of the number in CSV. Whole floats end in ".0".
char* put_csv_value(char* to, const LogicalType& logical, const NumberView& numbers,
                    std::size_t index);

// Appends the number at `index` as the shortest text that parses back to the same number.
void append_number(std::string& text, const NumberView& numbers, std::size_t index);

// Appends the value of the number at `index`, e.g. "2024-02-29 12:00:00.5Z". A value outside its
// logical type (a time past midnight) is written as the bare number.
void append_value(std::string& text, const LogicalType& logical, const NumberView& numbers,
                  std::size_t index);

}  // namespace numpact::cli
