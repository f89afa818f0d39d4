// SPDX-License-Identifier: Apache-2.0
// Columns put side by side, compiled for every target.
#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cvc/codec/tiles_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstring>

#include "cvc/codec/tiles.hpp"

HWY_BEFORE_NAMESPACE();
namespace numpact::cvc {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

struct Columns {
  const std::byte* from;
  std::size_t step;
  std::byte* out;
  std::size_t stride;

  template <class T>
  const T* column(std::size_t c) const {
    return reinterpret_cast<const T*>(from + c * step);
  }
  template <class T>
  T* row(std::size_t r) const {
    return reinterpret_cast<T*>(out + r * stride);
  }
};

// The definition, for columns [first, end).
template <class T>
void PutByOne(const Columns& columns, std::size_t first, std::size_t end, std::size_t first_row,
              std::size_t rows) {
  for (std::size_t r = first_row; r < rows; ++r) {
    for (std::size_t c = first; c < end; ++c) columns.row<T>(r)[c] = columns.column<T>(c)[r];
  }
}

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
template <class T>
std::size_t PutVectors(const Columns&, std::size_t, std::size_t) {
  return 0;
}
#else
// Rows that fill vectors, of 16 columns; returns how many. Fours of neighbours are put together in
// registers, and rows from those.
template <class T>
std::size_t PutVectors(const Columns& columns, std::size_t first, std::size_t rows) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  HWY_ALIGN T fours[4][4 * hn::MaxLanes(d)];
  std::size_t r = 0;
  for (; r + lanes <= rows; r += lanes) {
    for (std::size_t g = 0; g < 4; ++g) {
      const std::size_t c = first + 4 * g;
      hn::StoreInterleaved4(hn::LoadU(d, columns.column<T>(c) + r),
                            hn::LoadU(d, columns.column<T>(c + 1) + r),
                            hn::LoadU(d, columns.column<T>(c + 2) + r),
                            hn::LoadU(d, columns.column<T>(c + 3) + r), d, fours[g]);
    }
    for (std::size_t i = 0; i < lanes; ++i) {
      T* const out = columns.row<T>(r + i) + first;
      for (std::size_t g = 0; g < 4; ++g) {
        std::memcpy(out + 4 * g, fours[g] + 4 * i, 4 * sizeof(T));
      }
    }
  }
  return r;
}
#endif

template <class T>
void InterleaveAs(const Columns& columns, std::size_t n, std::size_t rows) {
  std::size_t c = 0;
  for (; c + 16 <= n; c += 16) {
    PutByOne<T>(columns, c, c + 16, PutVectors<T>(columns, c, rows), rows);
  }
  PutByOne<T>(columns, c, n, 0, rows);
}

void Interleave(const std::byte* from, std::size_t step, std::size_t n, std::size_t rows,
                std::size_t size, std::byte* out, std::size_t stride) {
  const Columns columns{from, step, out, stride};
  switch (size) {
    case 1:
      return InterleaveAs<std::uint8_t>(columns, n, rows);
    case 2:
      return InterleaveAs<std::uint16_t>(columns, n, rows);
    case 4:
      return InterleaveAs<std::uint32_t>(columns, n, rows);
    default:
      return InterleaveAs<std::uint64_t>(columns, n, rows);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace numpact::cvc
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include "simd/dispatch.hpp"

namespace numpact::cvc {

HWY_EXPORT(Interleave);

void interleave(const std::byte* from, std::size_t step, std::size_t columns, std::size_t rows,
                std::size_t size, std::byte* out, std::size_t stride) {
  NUMPACT_DISPATCH(Interleave)(from, step, columns, rows, size, out, stride);
}

}  // namespace numpact::cvc

#endif
