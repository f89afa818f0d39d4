// SPDX-License-Identifier: Apache-2.0
// Describes the pages of a SlicePlanner's plan as a grid.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/internal.hpp"
#include "gpu/cvc/pages.hpp"
#include "gpu/plan/device_plan.hpp"

namespace numpact::gpu {

// The output of the requested rows.
struct RowsOut {
  std::byte* data = nullptr;
  std::uint64_t stride = 0;  // values from row to row
  std::size_t size = 0;      // bytes of a value
};

// All pages have equal shapes except the last ones in the directions of rows and dimensions. The
// caller sets the pointers to the numbers and to the table of first numbers.
inline PagesGrid grid_of(const std::vector<PlannedPage>& pages, const cvc::RowRange& rows,
                         const RowsOut& out) {
  const PlannedPage& first = pages.front();
  const PlannedPage& last = pages.back();
  PagesGrid grid;
  while (grid.pages_of_group < pages.size() &&
         pages[grid.pages_of_group].first_dimension == first.first_dimension) {
    ++grid.pages_of_group;
  }
  const std::uint64_t begin = std::max(rows.first, first.first_row);
  const std::uint64_t end = std::min(rows.first + rows.count, last.first_row + last.rows);
  grid.out = out.data + ((begin - rows.first) * out.stride + first.first_dimension) * out.size;
  grid.stride = out.stride;
  grid.skipped_rows = begin - first.first_row;
  grid.rows = end - begin;
  // If a group has only one page, page_rows may be any number that is not smaller.
  grid.page_rows = first.rows;
  grid.dimension = last.first_dimension + last.dimensions - first.first_dimension;
  grid.group = first.dimensions;
  return grid;
}

}  // namespace numpact::gpu
