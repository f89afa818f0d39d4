// SPDX-License-Identifier: Apache-2.0
// Buffers many growing byte streams in bounded memory; the excess goes to a temporary file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "io/kept_memory.hpp"

namespace numpact::cli {

// All functions throw Failure if the temporary file cannot be created, written or read. The file
// has no name, so nothing remains after a crash. Several threads may read at the same time while
// none calls another function.
class Spool {
 public:
  // `memory_bytes`: all buffers are flushed to the file when together they exceed this size.
  explicit Spool(std::uint64_t memory_bytes) : memory_bytes_(memory_bytes) {}
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  using Stream = std::size_t;
  Stream add_stream();
  void append(Stream stream, std::span<const std::byte> bytes);
  // Discards the contents of the stream.
  void clear(Stream stream);
  std::uint64_t size(Stream stream) const { return streams_[stream].size; }

  // Copies a range of a stream, which must exist.
  void read(Stream stream, std::uint64_t offset, std::span<std::byte> out) const;

 private:
  struct Extent {
    std::uint64_t stream_offset;
    std::uint64_t file_offset;
    std::uint64_t size;
  };
  struct Segment {
    std::byte* data;
    std::size_t size;
    std::size_t capacity;
    std::span<const std::byte> bytes() const { return {data, size}; }
  };
  struct StreamState {
    std::uint64_t size = 0;
    std::vector<Extent> extents;  // the part in the file, in order
    // The bytes after these extents, in segments that are full except the last.
    std::vector<Segment> buffered;
    std::uint64_t buffered_size = 0;
    std::uint64_t buffered_capacity = 0;
  };

  void add_segment(StreamState& state, std::size_t capacity);
  void free_segments(StreamState& state);
  void write_file(std::span<const std::byte> bytes);
  void flush_all();
  void read_file(std::uint64_t offset, std::span<std::byte> out) const;

  std::uint64_t memory_bytes_;
  std::uint64_t buffered_bytes_ = 0;  // total capacity of all buffers
  KeptMemory memory_;                 // of the segments
  std::deque<StreamState> streams_;   // there may be hundreds of thousands
  int descriptor_ = -1;
  std::uint64_t file_size_ = 0;
};

}  // namespace numpact::cli
