// SPDX-License-Identifier: Apache-2.0
// How many bytes the rows of an array take.
#pragma once

#include <arrow/array.h>

#include <cstdint>

namespace numpact::cli {

// Without dictionaries, which all batches of a file share. The values of views count as often as
// there are rows with them.
std::uint64_t bytes_of_rows(const arrow::Array& array);

// Bytes of the values once they are copied out of their dictionary, or out of the buffers that
// views share; 0 for other types, whose values are copied as they are.
std::uint64_t spread_bytes(const arrow::Array& array);

}  // namespace numpact::cli
