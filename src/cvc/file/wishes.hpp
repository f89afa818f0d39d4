// SPDX-License-Identifier: Apache-2.0
// Single rows of a file, chunk by chunk.
#ifndef NUMPACT_CVC_FILE_WISHES_HPP
#define NUMPACT_CVC_FILE_WISHES_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cvc/file/records.hpp"
#include "numpact/config.hpp"
#include "numpact/cvc/read_config.hpp"

namespace numpact::cvc {

// A row that is wanted, and where.
struct Wish {
  std::uint64_t row = 0;
  std::uint64_t out_row = 0;
};

// Puts them in the order of rows, and lists those of each chunk.
std::vector<std::span<const Wish>> group_by_chunk(const Info& info, std::span<Wish> wishes);

// Those of one chunk, in the order of rows. `start`: the row of the file that is the first of what
// the records hold of the chunk.
Status gather_chunk(const Records& records, std::size_t chunk, std::uint64_t start,
                    std::span<const Wish> wishes, const Target& target, const DecodeLimits& limits);

}  // namespace numpact::cvc

#endif
