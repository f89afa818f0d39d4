// SPDX-License-Identifier: Apache-2.0
// Encodes a group of consecutive chunks concurrently.
#pragma once

#include <span>
#include <vector>

#include "base/byte_output.hpp"
#include "base/internal.hpp"
#include "numpact/config.hpp"
#include "pco/standalone/parallel_walker.hpp"
#include "pco/trailer/summary.hpp"

namespace numpact {

struct PendingChunk {
  NumberView numbers;
  std::span<std::byte> place;  // destination of its bytes
  // If not null, its bytes are appended here, and `place` becomes where they are.
  ByteOutput* output = nullptr;
  // More are of no use: kOutputTooSmall, also if only estimates say so.
  std::uint64_t max_bytes = ~std::uint64_t{0};
  std::size_t size = 0;  // encoded size
  Status status = {};    // kOutputTooSmall: the place is too small
  // If not null, receives the trailer's records of the chunks, with offsets relative to the place.
  std::vector<trailer::Summary>* summaries = nullptr;
};

// Chunks per task in a group. A task that finishes a chunk takes the next, so larger groups reduce
// waiting at the end, but each chunk needs a place.
inline constexpr std::size_t kChunksPerTaskBuffered = 2;  // numbers or places in scratch memory
inline constexpr std::size_t kChunksPerTaskGiven = 4;     // numbers in the caller's memory
inline constexpr std::size_t kChunksPerTaskInPlace = 8;   // places in the output itself

// Maximum encoded size of a chunk of n numbers.
std::size_t chunk_bound(NumberType type, std::size_t n);

// About the bytes of a file besides metadata and pages of its chunks, if it has this many: header,
// heads, terminator and trailer.
std::size_t file_frame_bytes(NumberType type, std::size_t count, std::size_t chunks,
                             const EncodeConfig& config);

// Whether the chunks suffice to start the tasks: `per_task` chunks for each, and enough numbers or
// very many chunks. Without an executor one chunk suffices.
bool enough_for_tasks(const standalone::TaskGroup& group, std::size_t per_task, std::size_t chunks,
                      std::size_t numbers);

// Sets size and status of each chunk; those after the first chunk with an error are unspecified. A
// group with one arena and no executor runs on the calling thread. The arenas are unchanged.
void encode_chunks(std::span<PendingChunk> chunks, const EncodeConfig& config,
                   const standalone::TaskGroup& group);

// Adds the chunks of a run to a trailer; `offset` is the position of the run in the file.
// Bytes that add_run() adds to the trailer.
std::uint64_t bytes_in_trailer(const PendingChunk& run);
void add_run(trailer::Builder& builder, const PendingChunk& run, std::uint64_t offset);

}  // namespace numpact
