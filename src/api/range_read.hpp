// SPDX-License-Identifier: Apache-2.0
// Reads a range of numbers, on one or several threads.
#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <vector>

#include "api/chunk_table.hpp"
#include "base/internal.hpp"
#include "numpact/pco.hpp"
#include "pco/standalone/file_walker.hpp"
#include "pco/standalone/parallel_walker.hpp"

namespace numpact {

// A chunk that stays open between reads of one thread from one file: its tables are made once, and
// numbers that follow are decoded from where the last read stopped.
class KeptChunk {
 public:
  KeptChunk();
  KeptChunk(const KeptChunk&) = delete;
  KeptChunk& operator=(const KeptChunk&) = delete;

 private:
  friend class RangeRead;

  Arena arena_;
  std::optional<standalone::FileWalker> walker_;
  bool is_open_ = false;
  std::size_t chunk_ = 0;
  std::size_t done_ = 0;   // where the walker stands in the chunk
  std::size_t jumps_ = 0;  // to restart points since the chunk was entered
  std::span<std::byte> dropped_;
};

// Reads as FileReader::read() does, on the calling thread. All calls with a chunk that is kept are
// for the same bytes of one file. Those that follow will read up to number `ahead`: a chunk that
// will be read whole is compared with its checksum.
Status read_kept(std::span<const std::byte> file, const FileReader& reader, std::uint64_t first,
                 const MutableNumberView& out, std::uint64_t ahead, const DecodeConfig& config,
                 KeptChunk& kept);

// A call of FileReader::read for at least one number within the index.
class RangeRead {
 public:
  // All arguments must outlive this object.
  RangeRead(std::span<const std::byte> file, const FileHeader& header,
            const ChunkIndex::Table& table, std::size_t first_chunk, std::uint64_t first,
            const MutableNumberView& out, const DecodeConfig& config);

  Status in_order(Arena& arena);
  // The numbers up to `ahead` will be read with the same chunk.
  Status in_order(KeptChunk& kept, std::uint64_t ahead);

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
  // `numbers_end`: the number before which reading ends.
  Status check_crc(const Part& part, std::uint64_t numbers_end) const;
  // Parts from index *end on may be skipped; `end` may be null.
  Status read_part(const Part& part, Arena& arena, const ProgressCallback* progress,
                   const std::atomic<std::size_t>* end, std::size_t index);
  Status read_part(const Part& part, KeptChunk& kept, std::uint64_t ahead,
                   const ProgressCallback* progress);
  // Enters the chunk of a part.
  Status enter(const Part& part, standalone::FileWalker& walker) const;
  // Decodes a part with a walker that stands at number `done` of the chunk, not behind its begin.
  // `dropped`: memory for kDropBufferN numbers.
  Status decode_part(const Part& part, standalone::FileWalker& walker, std::size_t done,
                     std::byte* dropped, const ProgressCallback* progress,
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
