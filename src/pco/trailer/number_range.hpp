// SPDX-License-Identifier: Apache-2.0
// The least and greatest of some numbers, NaN left out.
#ifndef NUMPACT_PCO_TRAILER_NUMBER_RANGE_HPP
#define NUMPACT_PCO_TRAILER_NUMBER_RANGE_HPP

#include "numpact/types.hpp"
#include "pco/trailer/layout.hpp"

namespace numpact::trailer {

// Widens the record's range and count of NaN by the numbers.
void add_to_range(const NumberView& numbers, ChunkRecord& record);

}  // namespace numpact::trailer

#endif
