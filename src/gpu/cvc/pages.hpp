// SPDX-License-Identifier: Apache-2.0
// Copies decoded numbers of Pco pages to the rows of the output. A page holds some dimensions of
// some rows.
#pragma once

#include <cstdint>

#include "base/internal.hpp"
#include "gpu/cvc/elements.hpp"
#include "numpact/cvc/types.hpp"
#include "numpact/types.hpp"

namespace numpact::gpu {

// The pages of a slice that hold requested rows: for each group of dimensions the same number of
// pages, ordered by row.
struct PagesGrid {
  const void* numbers = nullptr;          // numbers of all pages
  const std::uint64_t* firsts = nullptr;  // for each page the index of its first number
  void* out = nullptr;                    // output of the first requested row
  std::uint64_t stride = 0;               // values from row to row of the output
  std::uint64_t skipped_rows = 0;         // rows of the first pages before the first requested one
  std::uint64_t rows = 0;                 // requested rows
  std::uint64_t page_rows = 1;
  std::uint64_t dimension = 1;
  std::uint64_t group = 1;           // dimensions of a page
  std::uint64_t pages_of_group = 1;  // the same for all groups
};

// A block copies a tile of rows and dimensions. A warp of it has neighbouring rows and one
// dimension per lane: its stores are coalesced, and the cache lines that it loads of a page also
// serve the next rows.
inline constexpr std::uint32_t kTileDimensions = 32;  // lanes of a warp
inline constexpr std::uint32_t kTileWarps = 8;
inline constexpr std::uint32_t kRowsPerWarp = 8;
inline constexpr std::uint32_t kTileRows = kTileWarps * kRowsPerWarp;
inline constexpr std::uint32_t kTileThreads = kTileDimensions * kTileWarps;

NUMPACT_HD std::uint64_t tiles_across(const PagesGrid& grid) {
  return (grid.dimension + kTileDimensions - 1) / kTileDimensions;
}
NUMPACT_HD std::uint64_t tiles_of(const PagesGrid& grid) {
  return (grid.rows + kTileRows - 1) / kTileRows * tiles_across(grid);
}

// Conversion that keeps values.
template <class Bits>
struct Kept {
  using In = Bits;
  using Out = Bits;
  NUMPACT_HD static Out of(In bits) { return bits; }
};

// Conversion between types of floats.
template <class Bits, Form kForm, Out kOut>
struct Converted {
  using In = Bits;
  using Out = OutBits<kOut>;
  NUMPACT_HD static Out of(In bits) { return out_of_stored<kForm, kOut>(bits); }
};

// Calls f with the conversion of stored numbers to a type that the column can be read as.
template <class F>
void with_conversion(NumberType stored, cvc::Dtype out, F&& f) {
  const bool is_half = stored == NumberType::kF16;
  switch (out) {
    case cvc::Dtype::kFloat32:
      return is_half ? f(Converted<std::uint16_t, Form::kHalf, Out::kFloat>{})
                     : f(Converted<std::uint32_t, Form::kFloat, Out::kFloat>{});
    case cvc::Dtype::kFloat16:
      return is_half ? f(Converted<std::uint16_t, Form::kHalf, Out::kHalf>{})
                     : f(Converted<std::uint32_t, Form::kFloat, Out::kHalf>{});
    case cvc::Dtype::kBFloat16:
      return is_half ? f(Converted<std::uint16_t, Form::kHalf, Out::kBFloat>{})
                     : f(Converted<std::uint32_t, Form::kFloat, Out::kBFloat>{});
    case cvc::Dtype::kInt32:
      return f(Kept<std::uint32_t>{});
    case cvc::Dtype::kInt64:
      return f(Kept<std::uint64_t>{});
    default:
      return f(Kept<std::uint8_t>{});
  }
}

// The work of one thread on a tile: one dimension of the rows of its warp.
template <class Conversion>
NUMPACT_HD void put_tile(const PagesGrid& grid, std::uint64_t tile, std::uint32_t thread) {
  const std::uint64_t tiles_per_row = tiles_across(grid);
  const std::uint64_t d = tile % tiles_per_row * kTileDimensions + thread % kTileDimensions;
  if (d >= grid.dimension) return;
  const std::uint64_t group = d / grid.group;
  const std::uint64_t first = group * grid.group;
  const std::uint64_t left = grid.dimension - first;
  const std::uint64_t width = left < grid.group ? left : grid.group;
  const std::uint64_t* const firsts = grid.firsts + group * grid.pages_of_group;
  const auto* const numbers =
      static_cast<const typename Conversion::In*>(grid.numbers) + (d - first);
  auto* const out = static_cast<typename Conversion::Out*>(grid.out) + d;
  const std::uint64_t begin =
      tile / tiles_per_row * kTileRows + thread / kTileDimensions * kRowsPerWarp;
  for (std::uint64_t row = begin; row < begin + kRowsPerWarp && row < grid.rows; ++row) {
    const std::uint64_t at = grid.skipped_rows + row;
    const std::uint64_t page = at / grid.page_rows;
    const std::uint64_t row_of_page = at % grid.page_rows;
    out[row * grid.stride] = Conversion::of(numbers[firsts[page] + row_of_page * width]);
  }
}

}  // namespace numpact::gpu
