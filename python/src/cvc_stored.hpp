// SPDX-License-Identifier: Apache-2.0
// A slice of a CVC file as Python sees it.
#pragma once

#include "numpact/cvc/reader.hpp"

namespace numpact::python {

// Keeps the reader it came from alive, whose bytes it shows.
struct CvcSlice {
  cvc::StoredSlice stored;
  std::uint64_t chunk = 0;  // of the file
};

}  // namespace numpact::python
