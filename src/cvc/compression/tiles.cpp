// SPDX-License-Identifier: Apache-2.0
#include "cvc/compression/tiles.hpp"

#include <algorithm>
#include <cstring>

#include "base/internal.hpp"
#include "cvc/compression/half.hpp"

namespace numpact::cvc::internal {
namespace {

// Rows of a tile: its input and output stay in the L1 cache.
constexpr std::size_t kTileRows = 64;

template <class T>
void deinterleave_as(const std::byte* from, std::size_t stride, std::size_t columns,
                     std::size_t rows, std::byte* out, std::size_t step) {
  for (std::size_t first = 0; first < rows; first += kTileRows) {
    const std::size_t end = std::min(rows, first + kTileRows);
    for (std::size_t c = 0; c < columns; ++c) {
      auto* const to = reinterpret_cast<T*>(out + c * step);
      for (std::size_t row = first; row < end; ++row) {
        to[row] = reinterpret_cast<const T*>(from + row * stride)[c];
      }
    }
  }
}

// Calls f with an integer of `size` bytes.
template <class F>
void by_size(std::size_t size, const F& f) {
  switch (size) {
    case 1:
      f(std::uint8_t{});
      break;
    case 2:
      f(std::uint16_t{});
      break;
    case 4:
      f(std::uint32_t{});
      break;
    default:
      f(std::uint64_t{});
  }
}

}  // namespace

void deinterleave(const std::byte* from, std::size_t stride, std::size_t columns, std::size_t rows,
                  std::size_t size, std::byte* out, std::size_t step) {
  by_size(size, [&]<class T>(T) { deinterleave_as<T>(from, stride, columns, rows, out, step); });
}

void convert_values(Dtype from, const std::byte* values, std::size_t n, Dtype to, std::byte* out) {
  constexpr std::size_t kBufferValues = 1024;  // values of the buffer on the stack
  if (from == Dtype::kFloat16 && to == Dtype::kFloat32) {
    halves_to_floats(values, n, reinterpret_cast<float*>(out));
    return;
  }
  float buffer[kBufferValues];
  for (std::size_t i = 0; i < n; i += kBufferValues) {
    const std::size_t count = std::min(kBufferValues, n - i);
    auto* const bits = reinterpret_cast<std::uint16_t*>(out) + i;
    const float* floats = buffer;
    if (from == Dtype::kFloat16) {
      halves_to_floats(values + 2 * i, count, buffer);
    } else {
      floats = reinterpret_cast<const float*>(values) + i;
    }
    if (to == Dtype::kFloat16) {
      floats_to_halves(floats, count, bits);
    } else {
      floats_to_bfloats(floats, count, bits);
    }
  }
}

}  // namespace numpact::cvc::internal
