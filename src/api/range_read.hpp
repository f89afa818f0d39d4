// SPDX-License-Identifier: Apache-2.0
// Reading numbers by their places: parts of chunks, by one thread or many.
#ifndef NUMPACT_API_RANGE_READ_HPP
#define NUMPACT_API_RANGE_READ_HPP

#include <atomic>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "api/chunk_table.hpp"
#include "numpact/pco.hpp"
#include "pco/standalone/file_walker.hpp"
#include "pco/standalone/parallel_walker.hpp"

namespace numpact {

// A call of FileReader::try_read, of at least one number within the index.
class RangeRead {
 public:
  // All must outlive this.
  RangeRead(std::span<const std::byte> file, const FileHeader& header,
            const ChunkIndex::Table& table, std::size_t first_chunk, std::uint64_t first,
            const MutableNumberView& out, const DecodeConfig& config);

  Status in_order(Arena& arena);

  // Finds what can be decoded at the same time next: some thousands of chunks, cut at restart
  // points; returns how many parts that is, 0 at the end.
  std::size_t cut_for_many();
  // After that.
  Status in_parallel(const standalone::Crew& crew);

 private:
  // Numbers of one chunk, counted from its own first.
  struct Part {
    std::size_t chunk = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  struct Job;

  Part whole_part(std::size_t chunk) const;
  void cut(const Part& whole);
  void work(Job& job, Arena& arena) noexcept;
  static void fail(Job& job, std::size_t part, const Status& status);
  Status report(Job& job, std::uint64_t numbers, std::uint64_t offset);
  std::uint64_t file_offset_behind() const;
  Status misfit() const;
  bool fits_head(const IndexedChunk& chunk) const;
  Status check_crc(const Part& part) const;
  // end: parts from there on need not be read; may be null.
  Status read_part(const Part& part, Arena& arena, const ProgressCallback* progress,
                   const std::atomic<std::size_t>* end, std::size_t index);
  // Where decoding begins for a number of the entered chunk; the walker goes there.
  Status go_before(standalone::FileWalker& walker, std::size_t chunk, std::size_t number,
                   std::size_t& start) const;
  // The most numbers to decode at `done` of the chunk, before the next restart point.
  std::size_t step(std::size_t chunk, std::size_t done, std::size_t most) const;
  // That the walker is where the restart point says, if there is one at `done`.
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
  std::size_t next_chunk_;   // that was not cut into parts yet
  std::vector<Part> parts_;  // for many
  standalone::Header header_;
  std::uint64_t bytes_ = 0;  // reported last
};

}  // namespace numpact

#endif
