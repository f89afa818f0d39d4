// SPDX-License-Identifier: Apache-2.0
// Columns put side by side, compiled for every target.
#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cvc/compression/tiles_kernel.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstring>

#include "cvc/compression/tiles.hpp"

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

// Columns that are put together.
constexpr std::size_t kColumnsTogether = 16;

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
template <class T>
std::size_t PutVectors(const Columns&, std::size_t, std::size_t, bool) {
  return 0;
}
#else
// Rows that fill vectors, of kColumnsTogether columns; returns how many. Fours of neighbours are
// put together in registers, and rows from those. `streams`: past the caches, whole lines at
// aligned addresses.
template <class T>
std::size_t PutVectors(const Columns& columns, std::size_t first, std::size_t rows, bool streams) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, kColumnsTogether> row_tag;
  const std::size_t lanes = hn::Lanes(d);
  HWY_ALIGN T fours[4][4 * hn::MaxLanes(d)];
  HWY_ALIGN T whole[kColumnsTogether * hn::MaxLanes(d)];
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
      T* const out = streams ? whole + i * kColumnsTogether : columns.row<T>(r + i) + first;
      for (std::size_t g = 0; g < 4; ++g) {
        std::memcpy(out + 4 * g, fours[g] + 4 * i, 4 * sizeof(T));
      }
    }
    if (!streams) continue;
    for (std::size_t i = 0; i < lanes; ++i) {
      for (std::size_t k = 0; k < kColumnsTogether; k += hn::Lanes(row_tag)) {
        hn::Stream(hn::Load(row_tag, whole + i * kColumnsTogether + k), row_tag,
                   columns.row<T>(r + i) + first + k);
      }
    }
  }
  return r;
}
#endif

// Columns before the first whose values lie at the start of a line in all rows; none if there is no
// such.
template <class T>
std::size_t ColumnsToLine(const Columns& columns) {
  constexpr std::size_t kLine = kColumnsTogether * sizeof(T);
  const std::size_t over = reinterpret_cast<std::uintptr_t>(columns.out) % kLine;
  return over == 0 ? 0 : (kLine - over) / sizeof(T);
}

// Rows whose columns are all put before the next rows: their pages of memory are at hand then.
constexpr std::size_t kTileRows = 64;

template <class T>
void InterleaveAs(const Columns& all, std::size_t n, std::size_t rows, bool streams) {
  const bool is_aligned = streams && all.stride % (kColumnsTogether * sizeof(T)) == 0;
  const std::size_t lead = is_aligned ? HWY_MIN(n, ColumnsToLine<T>(all)) : 0;
  for (std::size_t row = 0; row < rows; row += kTileRows) {
    const std::size_t some = HWY_MIN(kTileRows, rows - row);
    const Columns columns{all.from + row * sizeof(T), all.step, all.out + row * all.stride,
                          all.stride};
    PutByOne<T>(columns, 0, lead, 0, some);
    std::size_t c = lead;
    for (; c + kColumnsTogether <= n; c += kColumnsTogether) {
      const std::size_t put = PutVectors<T>(columns, c, some, is_aligned);
      PutByOne<T>(columns, c, c + kColumnsTogether, put, some);
    }
    PutByOne<T>(columns, c, n, 0, some);
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
}  // namespace numpact::cvc
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include "simd/dispatch.hpp"

namespace numpact::cvc {

NUMPACT_EXPORT(Interleave);

void interleave(const std::byte* from, std::size_t step, std::size_t columns, std::size_t rows,
                std::size_t size, std::byte* out, std::size_t stride, bool streams) {
  NUMPACT_DISPATCH(Interleave)(from, step, columns, rows, size, out, stride, streams);
}

}  // namespace numpact::cvc

#endif
