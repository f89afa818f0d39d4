// SPDX-License-Identifier: Apache-2.0
// The part of a file in memory that can be read by several threads.
#ifndef NUMPACT_API_PARALLEL_PART_HPP
#define NUMPACT_API_PARALLEL_PART_HPP

#include <optional>

#include "api/workers.hpp"
#include "pco/standalone/file_walker.hpp"

namespace numpact {

// Goes ahead of a FileWalker over whole chunks, as long as that pays. Whatever it cannot pass, the
// end of the file, errors and limits among them, is left for the walker to meet in order.
class ParallelPart {
 public:
  // `context` may be null. Nothing happens if the config asks for one thread. All must outlive
  // this.
  ParallelPart(std::span<const std::byte> file, const DecodeConfig& config, DecodeContext* context,
               Arena& arena);
  ~ParallelPart();
  ParallelPart(const ParallelPart&) = delete;
  ParallelPart& operator=(const ParallelPart&) = delete;

  // After the walker has read the header; `type` is what the file should hold, none: what it holds.
  void start(const standalone::FileWalker& walker, std::optional<NumberType> type);

  // Where numbers go. `is_growing`: room is asked for in steps, as sure as the numbers are; else
  // for all at once. Null if they go nowhere.
  class Room {
   public:
    virtual ~Room() = default;
    virtual bool is_growing() const = 0;
    // The most numbers that may be asked for in all.
    virtual std::uint64_t most() const = 0;
    virtual Status make(std::size_t total, void*& data) = 0;
  };

  // With the walker between chunks and `count` numbers before it; both become what was reached.
  // Limits hold: what would pass one is left. Errors are kCancelled and those of the room.
  Status advance(standalone::FileWalker& walker, Room* room, std::uint64_t& count);
  // To be told of a chunk of n numbers that the walker passed itself.
  void passed_in_order(std::size_t n);

  // The chunks that the last advance() passed, where they went nowhere.
  std::span<const standalone::ChunkPlace> chunks() const { return chunks_; }

 private:
  std::uint64_t most_numbers(const Room* room) const;
  std::uint64_t step(std::uint64_t count) const;
  bool plan(std::uint64_t count, const Room* room);

  std::span<const std::byte> file_;
  const DecodeConfig& config_;
  Arena& arena_;
  std::optional<Workers> own_;
  Workers* workers_ = nullptr;  // null: not wanted
  standalone::Crew crew_;
  NumberType type_ = NumberType::kU8;
  std::optional<standalone::ParallelWalker> parallel_;
  std::vector<standalone::ChunkPlace> chunks_;
  standalone::Header header_;
};

}  // namespace numpact

#endif
