// SPDX-License-Identifier: Apache-2.0
// Range of numbers without NaN.
#pragma once

#include "numpact/types.hpp"
#include "pco/trailer/layout.hpp"

namespace numpact::internal::trailer {

// Extends the range of the record by the numbers, and adds the count of their NaN.
void add_to_range(const NumberView& numbers, ChunkRecord& record);

}  // namespace numpact::internal::trailer
