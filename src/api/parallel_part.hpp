// SPDX-License-Identifier: Apache-2.0
// Reads part of a file in memory on several threads.
#pragma once

#include <optional>

#include "api/worker_pool.hpp"
#include "base/internal.hpp"
#include "pco/standalone/file_walker.hpp"

namespace numpact {

// Passes whole chunks ahead of a FileWalker while that pays. The rest (the end of the file, errors
// and limits) is left to the walker.
class ParallelPart {
 public:
  // `context` may be null. Does nothing if the config requests a single thread. All arguments must
  // outlive this object.
  ParallelPart(std::span<const std::byte> file, const DecodeConfig& config, DecodeContext* context,
               Arena& arena);
  ~ParallelPart();
  ParallelPart(const ParallelPart&) = delete;
  ParallelPart& operator=(const ParallelPart&) = delete;

  // Call after the walker has read the header. `type`: the required type; none: that of the file.
  void start(const standalone::FileWalker& walker, std::optional<NumberType> type);

  // Destination of numbers. If is_growing(), memory is requested step by step as numbers are
  // confirmed, otherwise at once. Null if numbers are not stored.
  class OutputBuffer {
   public:
    virtual ~OutputBuffer() = default;
    virtual bool is_growing() const = 0;
    // Maximum total that may be requested.
    virtual std::uint64_t max_n() const = 0;
    virtual Status make(std::size_t total, void*& data) = 0;
  };

  // Requires the walker between chunks, with `count` numbers before it; advances both. Stops before
  // a limit would be exceeded. Errors: kCancelled and those of the output buffer.
  Status advance(standalone::FileWalker& walker, OutputBuffer* buffer, std::uint64_t& count);
  // Reports a chunk of n numbers that the walker passed itself.
  void passed_in_order(std::size_t n);

  // The chunks passed by the last advance() without an output buffer.
  std::span<const standalone::ChunkLocation> chunks() const { return chunks_; }

 private:
  std::uint64_t max_numbers(const OutputBuffer* buffer) const;
  std::uint64_t step(std::uint64_t count) const;
  bool plan(std::uint64_t count, const OutputBuffer* buffer);

  std::span<const std::byte> file_;
  const DecodeConfig& config_;
  Arena& arena_;
  std::optional<WorkerPool> own_;
  WorkerPool* worker_pool_ = nullptr;  // null: not requested
  standalone::TaskGroup group_;
  NumberType type_ = NumberType::kU8;
  std::optional<standalone::ParallelWalker> parallel_;
  std::vector<standalone::ChunkLocation> chunks_;
  standalone::Header header_;
};

}  // namespace numpact
