// SPDX-License-Identifier: Apache-2.0
// A view of the values to encode as one sequence, independent of their type and of gaps between
// rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "numpact/cvc/types.hpp"

namespace numpact::cvc::internal {

// Values per block of encoding loops, whose buffers are on the stack. A multiple of 8, so that
// blocks of packed codes end at a byte.
inline constexpr std::size_t kBlockValues = 4096;

class Source {
 public:
  explicit Source(const Rows& rows) : rows_(rows) {
    if (rows_.stride == 0) rows_.stride = row_bytes();
  }

  Dtype dtype() const { return rows_.dtype; }
  std::uint64_t rows() const { return rows_.count; }
  std::uint64_t dimension() const { return rows_.dimension; }
  std::uint64_t n() const { return rows_.count * rows_.dimension; }

  // Calls f(address, first value, count) for each run without gaps of [first, first + count).
  template <class F>
  void for_runs(std::uint64_t first, std::uint64_t count, const F& f) const {
    const auto* const data = static_cast<const std::byte*>(rows_.data);
    const std::size_t size = size_of(rows_.dtype);
    if (rows_.stride == row_bytes()) {
      if (count > 0) f(data + first * size, first, static_cast<std::size_t>(count));
      return;
    }
    while (count > 0) {
      const std::uint64_t row = first / rows_.dimension;
      const std::uint64_t column = first % rows_.dimension;
      const std::uint64_t run = std::min(count, rows_.dimension - column);
      f(data + row * rows_.stride + column * size, first, static_cast<std::size_t>(run));
      first += run;
      count -= run;
    }
  }

  // Values [first, first + count) rounded to floats: in `buffer`, or in place if they are floats
  // without gaps.
  const float* floats(std::uint64_t first, std::size_t count, float* buffer) const;
  // Copies values in their own type, without gaps.
  void copy(std::uint64_t first, std::size_t count, std::byte* out) const;

  // Calls f(first value, count) for blocks of all values, until it returns an error.
  template <class F>
  auto for_blocks(const F& f) const -> decltype(f(std::uint64_t{}, std::size_t{})) {
    const std::uint64_t all = n();
    for (std::uint64_t first = 0; first < all; first += kBlockValues) {
      const auto status =
          f(first, static_cast<std::size_t>(std::min<std::uint64_t>(kBlockValues, all - first)));
      if (!status.ok()) return status;
    }
    return {};
  }

  // Calls f(row, first dimension, count) for all rows, in blocks of at most kBlockValues, until it
  // returns an error. A row fits in memory, so its dimension fits std::size_t.
  template <class F>
  auto for_row_blocks(const F& f) const
      -> decltype(f(std::uint64_t{}, std::size_t{}, std::size_t{})) {
    const auto dimension = static_cast<std::size_t>(rows_.dimension);
    for (std::uint64_t row = 0; row < rows_.count; ++row) {
      for (std::size_t first = 0; first < dimension; first += kBlockValues) {
        const auto status = f(row, first, std::min(kBlockValues, dimension - first));
        if (!status.ok()) return status;
      }
    }
    return {};
  }

 private:
  std::size_t row_bytes() const {
    return static_cast<std::size_t>(rows_.dimension) * size_of(rows_.dtype);
  }

  Rows rows_;
};

}  // namespace numpact::cvc::internal
