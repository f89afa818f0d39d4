// SPDX-License-Identifier: Apache-2.0
// Many growing rows of bytes in bounded memory: what does not fit goes to a temporary file.
#ifndef NUMPACT_CLI_SPOOL_HPP
#define NUMPACT_CLI_SPOOL_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace numpact::cli {

// All of it throws Failure if the temporary file cannot be made, written or read. The file has no
// name, so nothing stays behind. For one thread.
class Spool {
 public:
  // `memory_bytes`: the most that is held before all that is held goes to the file.
  explicit Spool(std::uint64_t memory_bytes) : memory_bytes_(memory_bytes) {}
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  using Stream = std::size_t;
  Stream add_stream();
  void append(Stream stream, std::span<const std::byte> bytes);
  // Forgets what the stream holds.
  void clear(Stream stream);
  std::uint64_t size(Stream stream) const { return streams_[stream].size; }

  // Copies bytes of a stream; they must exist.
  void read(Stream stream, std::uint64_t offset, std::span<std::byte> out) const;

 private:
  struct Extent {
    std::uint64_t stream_offset;
    std::uint64_t file_offset;
    std::uint64_t size;
  };
  struct StreamState {
    std::uint64_t size = 0;
    std::vector<Extent> extents;  // in the file, in order
    std::vector<std::byte> held;  // behind them
  };

  void flush_all();
  void read_file(std::uint64_t offset, std::span<std::byte> out) const;

  std::uint64_t memory_bytes_;
  std::uint64_t held_bytes_ = 0;  // capacity of all that is held
  std::vector<StreamState> streams_;
  int descriptor_ = -1;
  std::uint64_t file_size_ = 0;
};

}  // namespace numpact::cli

#endif
