// SPDX-License-Identifier: Apache-2.0
// Values that a compression cannot keep: where they are, and how many are lost with them.
#ifndef NUMPACT_CVC_COMPRESSION_VALUES_HPP
#define NUMPACT_CVC_COMPRESSION_VALUES_HPP

#include <cstdint>
#include <optional>
#include <string>

#include "cvc/compression/source.hpp"
#include "numpact/cvc/types.hpp"
#include "numpact/error.hpp"

namespace numpact::cvc {

// Where a slice has what an error is about. A range that is too wide has no single value: only what
// all of its values share is known.
struct Refused {
  std::optional<std::uint64_t> row;  // of the slice
  std::optional<std::uint64_t> dimension;
  std::string value;  // in words; empty where there is none
};

// Rows and dimensions of a slice.
struct ValueArea {
  std::uint64_t row = 0;
  std::uint64_t rows = 0;
  std::uint64_t dimension = 0;
  std::uint64_t dimensions = 0;
};

inline ValueArea all_of(const Source& source) { return {0, source.rows(), 0, source.dimension()}; }

// Of a range that float32 does not hold: sets the place of the first value of the area that is NaN
// or infinite as a float, if there is one, and gives the error.
Status refuse_nonfinite(const Source& source, const ValueArea& area,
                        std::optional<Refused>& refused);

// Values of the area that are finite in the type they have.
std::uint64_t count_finite(const Source& source, const ValueArea& area);

// An error, and its place, unless floats hold all values bit for bit (NaNs with their payload).
Status check_floats(const Source& source, Compression compression, std::optional<Refused>& refused);

}  // namespace numpact::cvc

#endif
