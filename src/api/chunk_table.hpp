// SPDX-License-Identifier: Apache-2.0
// What a ChunkIndex knows.
#ifndef NUMPACT_API_CHUNK_TABLE_HPP
#define NUMPACT_API_CHUNK_TABLE_HPP

#include <optional>
#include <vector>

#include "numpact/random_access.hpp"
#include "pco/trailer/layout.hpp"

namespace numpact {

struct ChunkIndex::Table {
  std::optional<NumberType> type;
  std::vector<IndexedChunk> chunks;

  // From a trailer, else empty:
  std::vector<std::uint32_t> crcs;
  std::vector<std::uint64_t> ends;
  std::optional<unsigned> restart_log;
  std::vector<std::byte> point_bytes;
  std::vector<trailer::ChunkPoints> points;  // of each chunk, into point_bytes

  bool is_from_trailer() const { return !ends.empty(); }
  // How many there are of a chunk, and which is the last of them at or before a number: 0 for none,
  // else the point's number plus 1.
  std::size_t point_before(std::size_t chunk, std::uint64_t number) const {
    if (points.empty() || !restart_log) return 0;
    const auto passed = static_cast<std::size_t>(number >> *restart_log);
    return passed < points[chunk].count() ? passed : points[chunk].count();
  }
};

}  // namespace numpact

#endif
