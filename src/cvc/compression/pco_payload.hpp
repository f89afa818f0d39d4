// SPDX-License-Identifier: Apache-2.0
// The frame of a slice that Pco holds: a grid of wrapped Pco chunks. Each holds neighbouring
// dimensions (a group) of neighbouring rows (a span), row by row, in pages of so many rows.
#ifndef NUMPACT_CVC_COMPRESSION_PCO_PAYLOAD_HPP
#define NUMPACT_CVC_COMPRESSION_PCO_PAYLOAD_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "numpact/error.hpp"
#include "numpact/types.hpp"

namespace numpact::cvc {

struct Shape;

inline constexpr std::size_t kPcoHeadBytes = 16;

struct PcoGrid {
  NumberType type = NumberType::kF32;
  std::uint64_t rows = 0;
  std::uint64_t dimension = 0;
  std::uint64_t group = 1;      // dimensions
  std::uint64_t span_rows = 1;  // a multiple of page_rows
  std::uint64_t page_rows = 1;

  std::uint64_t groups() const { return (dimension + group - 1) / group; }
  std::uint64_t spans() const { return (rows + span_rows - 1) / span_rows; }
  std::uint64_t pages() const { return (rows + page_rows - 1) / page_rows; }
  // Sizes in the index: of each chunk's metadata and of its pages.
  std::uint64_t entries_of_group() const { return spans() + pages(); }
  std::uint64_t group_dimensions(std::uint64_t i) const {
    return std::min(group, dimension - i * group);
  }
};

struct PcoPayload {
  PcoGrid grid;
  unsigned major = 0;  // of the Pco format
  unsigned minor = 0;
  unsigned entry_bytes = 4;
  const std::byte* index = nullptr;
  std::span<const std::byte> data;

  std::uint64_t entry(std::uint64_t i) const;
  std::uint64_t sum(std::uint64_t first, std::uint64_t count) const;
};

// Checks head and index against the bytes; offsets of errors are from the payload's start.
Status parse_pco_payload(std::span<const std::byte> bytes, const Shape& shape, PcoPayload& payload);

void write_pco_head(const PcoGrid& grid, unsigned entry_bytes, std::byte* out);
// Bytes that hold a size below 2^32, and those bytes.
unsigned pco_entry_bytes(std::uint32_t largest);
void write_pco_entry(std::uint32_t size, unsigned entry_bytes, std::byte* out);

}  // namespace numpact::cvc

#endif
