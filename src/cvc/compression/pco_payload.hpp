// SPDX-License-Identifier: Apache-2.0
// The frame of a slice that is compressed by Pco: a grid of wrapped Pco chunks. Each chunk holds
// neighbouring dimensions (a group) of neighbouring rows (a span), row by row, in pages of
// page_rows rows. Chunks are stored group by group. Example with dimension 4, group 2 and two
// spans:
//
//   dimensions      0 1      2 3
//   span 0        chunk 0  chunk 2
//   span 1        chunk 1  chunk 3
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "numpact/error.hpp"
#include "numpact/types.hpp"

namespace numpact::cvc::internal {

struct Shape;

inline constexpr std::size_t kPcoHeadBytes = 16;

struct PcoGrid {
  NumberType type = NumberType::kF32;
  std::uint64_t rows = 0;
  std::uint64_t dimension = 0;
  std::uint64_t group = 1;      // dimensions of a chunk
  std::uint64_t span_rows = 1;  // a multiple of page_rows
  std::uint64_t page_rows = 1;

  std::uint64_t groups() const { return (dimension + group - 1) / group; }
  std::uint64_t spans() const { return (rows + span_rows - 1) / span_rows; }
  std::uint64_t pages() const { return (rows + page_rows - 1) / page_rows; }
  // Index entries of a group: for each of its chunks the size of the metadata and of each page.
  std::uint64_t entries_of_group() const { return spans() + pages(); }
  std::uint64_t group_dimensions(std::uint64_t i) const {
    return std::min(group, dimension - i * group);
  }
};

struct PcoPayload {
  PcoGrid grid;
  unsigned major = 0;  // version of the Pco format
  unsigned minor = 0;
  unsigned entry_bytes = 4;          // bytes of an index entry
  const std::byte* index = nullptr;  // sizes in bytes, little-endian
  std::span<const std::byte> data;   // metadata and pages, in the order of the index

  // Size in index entry i; the sum of `count` entries.
  std::uint64_t entry(std::uint64_t i) const;
  std::uint64_t sum(std::uint64_t first, std::uint64_t count) const;
};

// Checks head and index against the bytes. Offsets of errors count from the payload's start.
Status parse_pco_payload(std::span<const std::byte> bytes, const Shape& shape, PcoPayload& payload);

void write_pco_head(const PcoGrid& grid, unsigned entry_bytes, std::byte* out);
// Bytes of an index entry that hold sizes up to `largest`.
unsigned pco_entry_bytes(std::uint32_t largest);
// Writes one index entry.
void write_pco_entry(std::uint32_t size, unsigned entry_bytes, std::byte* out);

}  // namespace numpact::cvc::internal
