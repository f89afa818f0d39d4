// SPDX-License-Identifier: Apache-2.0
#include "cvc/compression/pco_payload.hpp"

#include <bit>
#include <cstring>

#include "base/internal.hpp"
#include "base/load.hpp"
#include "base/size.hpp"
#include "base/try.hpp"
#include "cvc/compression/codec.hpp"
#include "pco/limits.hpp"
#include "pco/version.hpp"
#include "pco/wire.hpp"

namespace numpact::cvc::internal {
namespace {

void store_u32(std::uint64_t value, std::byte* out) {
  store_le(out, static_cast<std::uint32_t>(value));
}

Status corrupt(const char* what, std::uint64_t at) { return Status(ErrorKind::kCorrupt, what, at); }

Status parse_head(std::span<const std::byte> bytes, PcoPayload& payload) {
  if (bytes.size() < kPcoHeadBytes) return corrupt("pco: the payload is shorter than its head", 0);
  PcoGrid& grid = payload.grid;
  const auto type = static_cast<std::uint8_t>(bytes[0]);
  if (!is_number_type(type)) return corrupt("pco: unknown number type", 0);
  grid.type = static_cast<NumberType>(type);
  payload.major = static_cast<unsigned>(bytes[1]);
  payload.minor = static_cast<unsigned>(bytes[2]);
  if (payload.major != wire::kFormatMajor) {
    return Status(ErrorKind::kUnsupportedVersion, "pco: not version 4 of the Pco format", 1);
  }
  payload.entry_bytes = static_cast<unsigned>(bytes[3]);
  if (payload.entry_bytes < 1 || payload.entry_bytes > 4) {
    return corrupt("pco: sizes in the index are not of 1 to 4 bytes", 3);
  }
  grid.group = load_le<std::uint32_t>(&bytes[4]);
  grid.span_rows = load_le<std::uint32_t>(&bytes[8]);
  grid.page_rows = load_le<std::uint32_t>(&bytes[12]);
  if (grid.group == 0 || grid.page_rows == 0 || grid.span_rows == 0 ||
      grid.span_rows % grid.page_rows != 0 || grid.group > kMaxChunkN / grid.span_rows) {
    return corrupt("pco: groups, spans and pages do not fit each other", 4);
  }
  return {};
}

}  // namespace

std::uint64_t PcoPayload::entry(std::uint64_t i) const {
  std::byte size[4] = {};
  std::memcpy(size, index + entry_bytes * i, entry_bytes);
  return load_le<std::uint32_t>(size);
}

std::uint64_t PcoPayload::sum(std::uint64_t first, std::uint64_t count) const {
  std::uint64_t all = 0;
  for (std::uint64_t i = first; i < first + count; ++i) all += entry(i);
  return all;
}

Status parse_pco_payload(std::span<const std::byte> bytes, const Shape& shape,
                         PcoPayload& payload) {
  payload = {};
  payload.grid.rows = shape.rows;
  payload.grid.dimension = shape.dimension;
  NUMPACT_TRY(parse_head(bytes, payload));
  const PcoGrid& grid = payload.grid;
  const std::span<const std::byte> rest = bytes.subspan(kPcoHeadBytes);
  const std::uint64_t max_entries = rest.size() / payload.entry_bytes;
  const std::uint64_t entries_per_group = shape.n() == 0 ? 0 : grid.entries_of_group();
  if (entries_per_group > max_entries ||
      (entries_per_group > 0 && grid.groups() > max_entries / entries_per_group)) {
    return corrupt("pco: the index passes the payload", kPcoHeadBytes);
  }
  const std::uint64_t entries = entries_per_group == 0 ? 0 : grid.groups() * entries_per_group;
  payload.index = rest.data();
  payload.data = rest.subspan(to_size(payload.entry_bytes * entries));
  // Sums of 2^30 sizes below 2^32 stay below 2^62.
  if (payload.sum(0, entries) != payload.data.size()) {
    return corrupt("pco: the sizes in the index do not add up to the payload", kPcoHeadBytes);
  }
  return {};
}

void write_pco_head(const PcoGrid& grid, unsigned entry_bytes, std::byte* out) {
  out[0] = static_cast<std::byte>(grid.type);
  out[1] = std::byte{wire::kFormatMajor};
  out[2] = std::byte{wire::kFormatMinor};
  out[3] = static_cast<std::byte>(entry_bytes);
  store_u32(grid.group, out + 4);
  store_u32(grid.span_rows, out + 8);
  store_u32(grid.page_rows, out + 12);
}

unsigned pco_entry_bytes(std::uint32_t largest) {
  return (static_cast<unsigned>(std::bit_width(largest | 1u)) + 7) / 8;
}

void write_pco_entry(std::uint32_t size, unsigned entry_bytes, std::byte* out) {
  std::byte bytes[4];
  store_le(bytes, size);
  std::memcpy(out, bytes, entry_bytes);
}

}  // namespace numpact::cvc::internal
