// SPDX-License-Identifier: Apache-2.0
// Decoding of single rows, chunk by chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/internal.hpp"
#include "cvc/file/records.hpp"
#include "numpact/config.hpp"
#include "numpact/cvc/config.hpp"

namespace numpact::cvc::internal {

// A row of the file, and the row of the output that receives it.
struct RowRequest {
  std::uint64_t row = 0;
  std::uint64_t out_row = 0;
};

// Sorts the requests by row (equal rows by output row) and returns one subspan for each chunk.
std::vector<std::span<const RowRequest>> group_by_chunk(const Info& info,
                                                        std::span<RowRequest> requests);

// Decodes the requested rows of one chunk; they are sorted by row. `start` is the row of the file
// at which `records` begins: the chunk's first row, or the first row of a window within the chunk.
Status gather_chunk(const Records& records, std::size_t chunk, std::uint64_t start,
                    std::span<const RowRequest> requests, const Target& target,
                    const DecodeLimits& limits);

}  // namespace numpact::cvc::internal
