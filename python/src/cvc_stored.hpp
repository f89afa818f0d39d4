// SPDX-License-Identifier: Apache-2.0
// Files and slices of CVC as Python sees them.
#pragma once

#include "bindings.hpp"
#include "numpact/cvc/reader.hpp"

namespace numpact::python {

// Keeps the reader it came from alive, whose bytes it shows.
struct CvcSlice {
  cvc::StoredSlice stored;
  std::uint64_t chunk = 0;  // of the file
};

// That of a CvcReader, which must live.
const cvc::Reader& cvc_reader_in(nb::handle reader);

}  // namespace numpact::python
