// SPDX-License-Identifier: Apache-2.0
// Computes a chunk's part of a trailer from its bytes and numbers.
#pragma once

#include "pco/standalone/file_walker.hpp"
#include "pco/trailer/layout.hpp"

namespace numpact::internal::trailer {

struct Summary {
  ChunkRecord record;
  std::vector<std::byte> points;  // as Builder::add takes them
};

// Summarises the chunk that the walker has just entered. Decodes it; afterwards the walker is
// behind it. `buffer`: scratch for a multiple of kBatchN numbers, at min_latent one batch.
Status summarise(std::span<const std::byte> file, standalone::FileWalker& walker,
                 std::optional<unsigned> restart_log, std::span<std::byte> buffer,
                 Summary& summary);

// Summarises a chunk whose numbers are known, without restart points. `bytes`: the bytes of the
// chunk. The caller sets the offset.
ChunkRecord summarise_numbers(const NumberView& numbers, std::span<const std::byte> bytes,
                              std::size_t page_at);

}  // namespace numpact::internal::trailer
