// SPDX-License-Identifier: Apache-2.0
// The caller's memory that columns are decoded into.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/internal.hpp"
#include "cvc/compression/codecs.hpp"
#include "numpact/config.hpp"
#include "numpact/cvc/config.hpp"
#include "numpact/cvc/types.hpp"

namespace numpact::cvc::internal {

// kLimitExceeded if `rows` rows cannot be in memory. A stride of 0 means rows without gaps.
Status check_fits_memory(const MutableRows& out, std::uint64_t rows);
// The error of an output with fewer than `rows` rows (at least 1); it carries the needed bytes.
Status too_few_rows(const MutableRows& out, std::uint64_t rows);
// Compares numbers and output bytes with the limits.
Status check_amount(std::uint64_t numbers, std::uint64_t bytes, const DecodeLimits& limits);
// Checks that each target has space for `rows` rows and that all are within the limits. Sets
// strides of 0.
Status check_targets(const Info& info, std::span<Target> targets, std::uint64_t rows,
                     const DecodeLimits& limits);
// kTypeMismatch if a chunk's values cannot be decoded as the targets' types.
Status check_types(const Info& info, std::size_t chunk, std::span<const Target> targets);

inline std::byte* row_address(const MutableRows& rows, std::uint64_t row) {
  return static_cast<std::byte*>(rows.data) + row * rows.stride;
}
inline std::size_t row_bytes(const MutableRows& rows) {
  return static_cast<std::size_t>(rows.dimension) * size_of(rows.dtype);
}

// Decodes rows [first, first + count) of a slice, or their first values, to the rows of `out` from
// `out_row` on.
Status decode_rows(const Prepared& prepared, std::uint64_t first, std::uint64_t count,
                   const MutableRows& out, std::uint64_t out_row);
void fill_rows(const MutableRows& out, std::uint64_t first, std::uint64_t count, double value);
// Moves rows from `from` to `to`, which is not larger.
void move_rows(const MutableRows& out, std::uint64_t from, std::uint64_t to, std::uint64_t count);

}  // namespace numpact::cvc::internal
