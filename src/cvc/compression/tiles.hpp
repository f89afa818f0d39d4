// SPDX-License-Identifier: Apache-2.0
// Values of several dimensions, each by itself, put side by side; and changes of their type.
#ifndef NUMPACT_CVC_COMPRESSION_TILES_HPP
#define NUMPACT_CVC_COMPRESSION_TILES_HPP

#include <cstddef>
#include <cstdint>

#include "numpact/cvc/types.hpp"

namespace numpact::cvc {

// `columns` arrays of `rows` values of `size` bytes, `step` bytes apart, to rows of one value each,
// `stride` bytes apart. `streams`: past the caches.
void interleave(const std::byte* from, std::size_t step, std::size_t columns, std::size_t rows,
                std::size_t size, std::byte* out, std::size_t stride, bool streams = false);
// The other way. Both aligned for the values.
void separate(const std::byte* from, std::size_t stride, std::size_t columns, std::size_t rows,
              std::size_t size, std::byte* out, std::size_t step);

// float32 and float16 to float32, float16 and bfloat16.
void convert_values(Dtype from, const std::byte* values, std::size_t n, Dtype to, std::byte* out);

}  // namespace numpact::cvc

#endif
