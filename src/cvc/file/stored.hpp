// SPDX-License-Identifier: Apache-2.0
// Slices as they are stored.
#ifndef NUMPACT_CVC_FILE_STORED_HPP
#define NUMPACT_CVC_FILE_STORED_HPP

#include <cstddef>

#include "cvc/file/records.hpp"
#include "numpact/cvc/read_config.hpp"
#include "numpact/cvc/stored_slice.hpp"

namespace numpact::cvc {

// All that Reader::try_stored_slice does, but for the owner of bytes in memory.
Status find_stored(const Records& records, std::size_t chunk, std::size_t column,
                   const ReadConfig& config, StoredSlice& stored);

// All that try_decode_slice does.
Status decode_stored(const StoredSlice& stored, const RowRange& rows, const MutableRows& out);

}  // namespace numpact::cvc

#endif
