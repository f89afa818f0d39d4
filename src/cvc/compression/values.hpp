// SPDX-License-Identifier: Apache-2.0
// Values that a compression cannot represent: their location, and how many values are lost with
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/internal.hpp"
#include "cvc/compression/source.hpp"
#include "cvc/compression/steps.hpp"
#include "numpact/cvc/types.hpp"
#include "numpact/error.hpp"

namespace numpact::cvc::internal {

// The value of a slice that an error is about. If a range is too wide, no single value is to blame:
// then only the row or dimension that all its values share is set.
struct Refused {
  std::optional<std::uint64_t> row;  // of the slice
  std::optional<std::uint64_t> dimension;
  std::string value;  // as text; empty if no single value is to blame
};

// A rectangle of rows and dimensions of a slice.
struct ValueArea {
  std::uint64_t row = 0;
  std::uint64_t rows = 0;
  std::uint64_t dimension = 0;
  std::uint64_t dimensions = 0;
};

inline ValueArea all_of(const Source& source) { return {0, source.rows(), 0, source.dimension()}; }

// The error of a range that float32 cannot hold. Sets `refused` to the first value of the area that
// is NaN or infinite as a float, if there is one.
Status refuse_nonfinite(const Source& source, const ValueArea& area,
                        std::optional<Refused>& refused);

// Counts values of the area that are finite in their own type.
std::uint64_t count_finite(const Source& source, const ValueArea& area);

// Counts values of the area that are too small for float32 steps of a range: the scale is 0, though
// they are not all the same; or they are not 0, but all of them are as floats.
std::uint64_t count_underflows(const Source& source, const ValueArea& area, const StepRange& range);

// Counts values [first, first + n) that are not 0, but became so in half precision or bfloat16.
// `codes`: what they became.
std::uint64_t count_underflows(const Source& source, std::uint64_t first, std::size_t n,
                               const std::uint16_t* codes);

// Returns an error and sets `refused` unless float32 holds all values bit for bit (NaNs with their
// payload).
Status check_floats(const Source& source, Compression compression, std::optional<Refused>& refused);

}  // namespace numpact::cvc::internal
