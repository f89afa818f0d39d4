// SPDX-License-Identifier: Apache-2.0
// Reads a range of numbers, on one or several threads.
#pragma once

#include <atomic>
#include <span>
#include <vector>

#include "api/chunk_table.hpp"
#include "base/internal.hpp"
#include "numpact/pco.hpp"
#include "pco/standalone/file_walker.hpp"
#include "pco/standalone/parallel_walker.hpp"

namespace numpact {

// A call of FileReader::read for at least one number within the index.
class RangeRead {
 public:
  // All arguments must outlive this object.
  RangeRead(std::span<const std::byte> file, const FileHeader& header,
            const ChunkIndex::Table& table, std::size_t first_chunk, std::uint64_t first,
            const MutableNumberView& out, const DecodeConfig& config);

  Status in_order(Arena& arena);

  // Prepares the next parts to decode concurrently: some thousands of chunks, split at restart
  // points. Returns the number of parts, 0 at the end.
  std::size_t split_for_tasks();
  // Call after split_for_tasks().
  Status in_parallel(const standalone::TaskGroup& group);

 private:
  // A range of numbers within one chunk.
  struct Part {
    std::size_t chunk = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  struct Job;

  Part whole_part(std::size_t chunk) const;
  void split(const Part& whole);
  void work(Job& job, Arena& arena) noexcept;
  static void fail(Job& job, std::size_t part, const Status& status);
  Status report(Job& job, std::uint64_t numbers, std::uint64_t offset);
  std::uint64_t end_offset() const;
  Status index_mismatch() const;
  bool fits_head(const IndexedChunk& chunk) const;
  Status check_crc(const Part& part) const;
  // Parts from index *end on may be skipped; `end` may be null.
  Status read_part(const Part& part, Arena& arena, const ProgressCallback* progress,
                   const std::atomic<std::size_t>* end, std::size_t index);
  // Moves the walker to the last restart point at or before a number of the entered chunk; `start`
  // is its number.
  Status go_to_restart(standalone::FileWalker& walker, std::size_t chunk, std::size_t number,
                       std::size_t& start) const;
  // Numbers to decode at `done` of the chunk: at most `max_n` and not past the next restart point.
  std::size_t step(std::size_t chunk, std::size_t done, std::size_t max_n) const;
  // Checks that the walker matches the restart point at `done`, if there is one.
  Status check_point(const standalone::FileWalker& walker, std::size_t chunk,
                     std::size_t done) const;

  std::span<const std::byte> file_;
  const ChunkIndex::Table& table_;
  NumberType type_;
  std::uint64_t first_;
  std::uint64_t end_;
  std::byte* out_;
  const DecodeConfig& config_;
  std::size_t first_chunk_;
  std::size_t end_chunk_;
  std::size_t next_chunk_;   // the first chunk not split into parts yet
  std::vector<Part> parts_;  // for several tasks
  standalone::Header header_;
  std::uint64_t bytes_ = 0;  // last reported
};

}  // namespace numpact
