// SPDX-License-Identifier: Apache-2.0
// Decoding of ranges of rows, divided into work items for one or several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/guard.hpp"
#include "base/internal.hpp"
#include "cvc/file/records.hpp"
#include "numpact/cvc/config.hpp"

namespace numpact::cvc::internal {

// Neighbouring rows of one chunk to decode, or a chunk whose checksum is to be checked, or both.
struct ChunkRead {
  std::size_t chunk = 0;
  RowRange rows;              // counted from the chunk's first row
  std::uint64_t out_row = 0;  // row of the output that receives the first of them
  bool is_checked = false;    // compare the payload with the chunk's checksum
};

// The chunk that contains a row; the row must be below info.rows.
std::size_t chunk_of_row(const Info& info, std::uint64_t row);

// Divides ranges of rows of the file at chunk boundaries, in order. kInvalidArgument for rows past
// the end. `rows` becomes the sum of their rows.
Status split_by_chunk(const Info& info, std::span<const RowRange> ranges,
                      std::vector<ChunkRead>& reads, std::uint64_t& rows);

// Called for a read whose checksum does not match or that cannot be decoded. An error that it
// returns ends the reading.
using ReadHandler = Status (*)(void* owner, const ChunkRead& read, const Status& problem);
// Ends the reading with the problem.
inline Status pass_on(void*, const ChunkRead&, const Status& problem) { return problem; }

// Calls the progress callback, if there is one. kCancelled if it returns false.
inline Status report_progress(const ReadConfig& config, const Progress& progress) {
  if (!config.progress) return {};
  return guarded([&]() -> Status {
    if (config.progress(progress)) return {};
    return Status(ErrorKind::kCancelled, "the progress callback asked to stop");
  });
}

// Executes the reads. Targets and their types have been checked. Without targets only checksums are
// compared. The handler is called on the calling thread, in the order of the reads.
Status read_chunks(const Records& records, std::span<const ChunkRead> reads,
                   std::span<const Target> targets, const ReadConfig& config, ReadHandler handler,
                   void* owner);

// Implements Reader::read.
Status read_ranges(const Records& records, std::span<const RowRange> ranges,
                   std::span<const Target> targets, const ReadConfig& config, ReadReport& report);

}  // namespace numpact::cvc::internal
