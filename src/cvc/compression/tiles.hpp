// SPDX-License-Identifier: Apache-2.0
// Transposition between columns (arrays of one dimension) and rows, and conversion of floats.
#pragma once

#include <cstddef>
#include <cstdint>

#include "numpact/cvc/types.hpp"

namespace numpact::cvc::internal {

// Interleaves `columns` arrays of `rows` values of `size` bytes, which are `step` bytes apart, to
// rows with one value of each array. Rows are `stride` bytes apart. `streams`: use non-temporal
// stores.
void interleave(const std::byte* from, std::size_t step, std::size_t columns, std::size_t rows,
                std::size_t size, std::byte* out, std::size_t stride, bool streams = false);
// The inverse. `from` and `out` are aligned for the values.
void deinterleave(const std::byte* from, std::size_t stride, std::size_t columns, std::size_t rows,
                  std::size_t size, std::byte* out, std::size_t step);

// Converts float32 or float16 to float32, float16 or bfloat16.
void convert_values(Dtype from, const std::byte* values, std::size_t n, Dtype to, std::byte* out);

}  // namespace numpact::cvc::internal
