// SPDX-License-Identifier: Apache-2.0
// Interleaving of columns to rows, compiled for every target.
#include "base/internal.hpp"
#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cvc/compression/tiles_kernel.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstring>

#include "cvc/compression/tiles.hpp"

#if NUMPACT_VECTOR_KERNEL
HWY_BEFORE_NAMESPACE();
namespace numpact::cvc::internal {
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

// Interleaves columns [first, end) of rows [first_row, rows) one by one; defines the result.
template <class T>
void PutScalar(const Columns& columns, std::size_t first, std::size_t end, std::size_t first_row,
               std::size_t rows) {
  for (std::size_t r = first_row; r < rows; ++r) {
    for (std::size_t c = first; c < end; ++c) columns.row<T>(r)[c] = columns.column<T>(c)[r];
  }
}

// Columns that are interleaved at a time: 16 floats are a cache line.
constexpr std::size_t kColumnsPerPass = 16;

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
template <class T>
std::size_t PutVectors(const Columns&, std::size_t, std::size_t, bool) {
  return 0;
}
#else
// Interleaves kColumnsPerPass columns of all rows that fill whole vectors; returns the number of
// these rows. Groups of four neighbouring columns are interleaved in registers, and rows are copied
// from these groups. With columns a, b, c, d and 4 lanes:
//   a0 a1 a2 a3 | b0 b1 b2 b3 | c0 ... | d0 ...  ->  fours[0] = a0 b0 c0 d0  a1 b1 c1 d1  ...
//   row r = fours[0][4r..4r+3]  fours[1][4r..4r+3]  fours[2][..]  fours[3][..]
// `streams`: whole cache lines are written with non-temporal stores to aligned addresses.
template <class T>
std::size_t PutVectors(const Columns& columns, std::size_t first, std::size_t rows, bool streams) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, kColumnsPerPass> row_tag;
  const std::size_t lanes = hn::Lanes(d);
  HWY_ALIGN T fours[4][4 * hn::MaxLanes(d)];
  HWY_ALIGN T whole[kColumnsPerPass * hn::MaxLanes(d)];
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
      T* const out = streams ? whole + i * kColumnsPerPass : columns.row<T>(r + i) + first;
      for (std::size_t g = 0; g < 4; ++g) {
        std::memcpy(out + 4 * g, fours[g] + 4 * i, 4 * sizeof(T));
      }
    }
    if (!streams) continue;
    for (std::size_t i = 0; i < lanes; ++i) {
      for (std::size_t k = 0; k < kColumnsPerPass; k += hn::Lanes(row_tag)) {
        hn::Stream(hn::Load(row_tag, whole + i * kColumnsPerPass + k), row_tag,
                   columns.row<T>(r + i) + first + k);
      }
    }
  }
  return r;
}
#endif

// Number of columns before the first one whose values are aligned to kColumnsPerPass values in all
// rows. The stride is a multiple of that size.
template <class T>
std::size_t ColumnsToLine(const Columns& columns) {
  constexpr std::size_t kLineBytes = kColumnsPerPass * sizeof(T);
  const std::size_t misaligned_bytes = reinterpret_cast<std::uintptr_t>(columns.out) % kLineBytes;
  return misaligned_bytes == 0 ? 0 : (kLineBytes - misaligned_bytes) / sizeof(T);
}

// Rows whose columns are all interleaved before the next rows, so that the memory pages of a tile
// stay in the TLB.
constexpr std::size_t kTileRows = 64;

template <class T>
void InterleaveAs(const Columns& all, std::size_t n, std::size_t rows, bool streams) {
  const bool is_aligned = streams && all.stride % (kColumnsPerPass * sizeof(T)) == 0;
  const std::size_t lead = is_aligned ? HWY_MIN(n, ColumnsToLine<T>(all)) : 0;
  for (std::size_t row = 0; row < rows; row += kTileRows) {
    const std::size_t tile_rows = HWY_MIN(kTileRows, rows - row);
    const Columns columns{all.from + row * sizeof(T), all.step, all.out + row * all.stride,
                          all.stride};
    PutScalar<T>(columns, 0, lead, 0, tile_rows);
    std::size_t c = lead;
    for (; c + kColumnsPerPass <= n; c += kColumnsPerPass) {
      const std::size_t put = PutVectors<T>(columns, c, tile_rows, is_aligned);
      PutScalar<T>(columns, c, c + kColumnsPerPass, put, tile_rows);
    }
    PutScalar<T>(columns, c, n, 0, tile_rows);
  }
  if (is_aligned) hwy::FlushStream();
}

void Interleave(const std::byte* from, std::size_t step, std::size_t n, std::size_t rows,
                std::size_t size, std::byte* out, std::size_t stride, bool streams) {
  const Columns columns{from, step, out, stride};
  switch (size) {
    case 1:
      return InterleaveAs<std::uint8_t>(columns, n, rows, streams);
    case 2:
      return InterleaveAs<std::uint16_t>(columns, n, rows, streams);
    case 4:
      return InterleaveAs<std::uint32_t>(columns, n, rows, streams);
    default:
      return InterleaveAs<std::uint64_t>(columns, n, rows, streams);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace numpact::cvc::internal
HWY_AFTER_NAMESPACE();
#endif  // NUMPACT_VECTOR_KERNEL

#if HWY_ONCE

#include "simd/dispatch.hpp"

namespace numpact::cvc::internal {

NUMPACT_EXPORT_VECTOR(Interleave);

void interleave(const std::byte* from, std::size_t step, std::size_t columns, std::size_t rows,
                std::size_t size, std::byte* out, std::size_t stride, bool streams) {
  NUMPACT_DISPATCH(Interleave)(from, step, columns, rows, size, out, stride, streams);
}

}  // namespace numpact::cvc::internal

#endif
