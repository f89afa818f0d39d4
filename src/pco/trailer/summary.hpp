// SPDX-License-Identifier: Apache-2.0
// What a trailer says of a chunk, found from its bytes and numbers.
#ifndef NUMPACT_PCO_TRAILER_SUMMARY_HPP
#define NUMPACT_PCO_TRAILER_SUMMARY_HPP

#include "pco/standalone/file_walker.hpp"
#include "pco/trailer/layout.hpp"

namespace numpact::trailer {

struct Summary {
  ChunkRecord record;
  std::vector<std::byte> points;  // as Builder::add takes them
};

// Of the chunk that the walker has just entered, which is decoded: afterwards the walker is behind
// it. `room`: whole batches, at least one.
Status summarise(std::span<const std::byte> file, standalone::FileWalker& walker,
                 std::optional<unsigned> restart_log, std::span<std::byte> room, Summary& summary);

// Of a chunk whose numbers are known, without restart points. `bytes`: the chunk's; its offset is
// left to the caller.
ChunkRecord summarise_numbers(const NumberView& numbers, std::span<const std::byte> bytes,
                              std::size_t page_at);

}  // namespace numpact::trailer

#endif
