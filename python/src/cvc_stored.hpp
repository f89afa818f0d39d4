// SPDX-License-Identifier: Apache-2.0
// A slice of a CVC file as Python sees it.
#ifndef NUMPACT_PYTHON_CVC_STORED_HPP
#define NUMPACT_PYTHON_CVC_STORED_HPP

#include "numpact/cvc/stored_slice.hpp"

namespace numpact::python {

// Keeps the reader it came from alive, whose bytes it shows.
struct CvcSlice {
  cvc::StoredSlice stored;
};

}  // namespace numpact::python

#endif
