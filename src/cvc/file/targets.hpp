// SPDX-License-Identifier: Apache-2.0
// The caller's memory that columns are read into.
#ifndef NUMPACT_CVC_FILE_TARGETS_HPP
#define NUMPACT_CVC_FILE_TARGETS_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include "cvc/compression/codecs.hpp"
#include "numpact/config.hpp"
#include "numpact/cvc/read_config.hpp"
#include "numpact/cvc/types.hpp"

namespace numpact::cvc {

// Whether so many rows can be in memory; without gaps where no stride is given.
Status check_room(const MutableRows& out, std::uint64_t rows);
// The error of an output that has fewer rows than so many, at least one; says the bytes needed.
Status too_few_rows(const MutableRows& out, std::uint64_t rows);
Status check_amount(std::uint64_t numbers, std::uint64_t bytes, const DecodeLimits& limits);
// Checked to have room for `rows` rows each, within the limits. Sets strides that are not given.
Status check_targets(const Info& info, std::span<Target> targets, std::uint64_t rows,
                     const DecodeLimits& limits);
// Whether a chunk's values can be had as the targets want them.
Status check_types(const Info& info, std::size_t chunk, std::span<const Target> targets);

inline std::byte* row_address(const MutableRows& rows, std::uint64_t row) {
  return static_cast<std::byte*>(rows.data) + row * rows.stride;
}
inline std::size_t row_bytes(const MutableRows& rows) {
  return static_cast<std::size_t>(rows.dimension) * size_of(rows.dtype);
}

// Rows [first, first + count) of a slice to rows of the target from `out_row` on.
Status decode_rows(const Prepared& prepared, std::uint64_t first, std::uint64_t count,
                   const MutableRows& out, std::uint64_t out_row);
void fill_rows(const MutableRows& out, std::uint64_t first, std::uint64_t count, double value);
// To a place further up.
void move_rows(const MutableRows& out, std::uint64_t from, std::uint64_t to, std::uint64_t count);

}  // namespace numpact::cvc

#endif
