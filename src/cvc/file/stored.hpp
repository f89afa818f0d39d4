// SPDX-License-Identifier: Apache-2.0
// Access to slices in their stored form.
#pragma once

#include <cstddef>

#include "base/internal.hpp"
#include "cvc/file/records.hpp"
#include "numpact/cvc/config.hpp"

namespace numpact::cvc::internal {

// Implements Reader::stored_slice, except that the owner of bytes in memory is not set.
Status find_stored(const Records& records, std::size_t chunk, std::size_t column,
                   const ReadConfig& config, StoredSlice& stored);

// Implements decode_slice.
Status decode_stored(const StoredSlice& stored, const RowRange& rows, const MutableRows& out);

}  // namespace numpact::cvc::internal
