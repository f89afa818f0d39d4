// SPDX-License-Identifier: Apache-2.0
// The error of modes for floats in a chunk of integers.
#pragma once

#include "bits/bit_reader.hpp"

namespace numpact::internal {

inline Status refuse_integers(const BitReader& reader) {
  return reader.corrupt(
      "metadata of floats (FloatMult or FloatQuant) for integers: they are damaged, or the numbers "
      "are of another type");
}

}  // namespace numpact::internal
