// SPDX-License-Identifier: Apache-2.0
// A slice of a CVC file as Python sees it.
#pragma once

#include "numpact/cvc/reader.hpp"

namespace numpact::python {

// Keeps the reader it came from alive, whose bytes it shows.
struct CvcSlice {
  cvc::StoredSlice stored;
};

}  // namespace numpact::python
