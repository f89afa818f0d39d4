// SPDX-License-Identifier: Apache-2.0
// A Pco file with numbers of a column: its trailer, and the bytes of its chunks in memory or in a
// source of ranges.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/internal.hpp"
#include "numpact/file_access.hpp"
#include "numpact/random_access.hpp"
#include "numpact/table.hpp"
#include "numpact/trailer.hpp"
#include "table/reader/null_map.hpp"

namespace numpact::internal {

// Bytes of one request at most, unless a chunk has more.
inline constexpr std::uint64_t kMaxRequestBytes = std::uint64_t{32} << 20;

// Reads all of a range, in requests of at most kMaxRequestBytes, so that no more memory is taken
// than twice what the source has given.
Status read_range(RangeSource& source, std::uint64_t offset, std::uint64_t size,
                  std::vector<std::byte>& out);
// All of a file of at most `max_bytes`.
Status read_whole(RangeSource& source, std::uint64_t max_bytes, std::vector<std::byte>& out);

// Immutable.
class ColumnFile {
 public:
  // Reads the trailer, or walks a file without one. `count`: how many numbers it may have.
  //
  // The size must be that of `sum`. The checksum is compared if the whole file is read: one that is
  // small, is walked, or is to be verified. Else the checksums of the trailer find damage of the
  // chunks that are read.
  Status open(std::unique_ptr<RangeSource> source, std::uint64_t count, const table::FileSum& sum,
              const DecodeConfig& config);

  const ChunkIndex& index() const { return index_; }
  // Ranges of numbers of all chunks; empty if there is no trailer that can be used.
  std::span<const ChunkSummary> summaries() const {
    return trailer_ ? trailer_->chunks() : std::span<const ChunkSummary>();
  }
  // Whether decoding can start within a chunk.
  bool has_restarts(std::size_t chunk) const {
    return trailer_ && trailer_->restart_log() && summaries()[chunk].restart_points > 0;
  }
  std::optional<unsigned> restart_log() const {
    return trailer_ ? trailer_->restart_log() : std::nullopt;
  }
  // The bytes of the file, if they are in memory.
  std::optional<std::span<const std::byte>> bytes() const { return source_->bytes(); }
  // Reads the numbers from memory; null: chunks must be fetched.
  const FileReader* reader() const { return reader_ ? &*reader_ : nullptr; }
  // What reader() reads.
  std::span<const std::byte> memory() const { return memory_; }

  // Chunks of a source in memory.
  struct Fetched {
    std::size_t first_chunk = 0;
    std::size_t end_chunk = 0;  // 0: none
    std::uint64_t first = 0;    // numbers before the first one
    std::uint64_t base = 0;     // where it begins in the file
    std::vector<std::byte> bytes = {};
    std::optional<FileReader> reader = {};

    bool has(std::size_t chunk) const { return first_chunk <= chunk && chunk < end_chunk; }
    // An error of `reader` with the places of the file.
    Status placed(const Status& status) const;
  };
  // Fetches the chunks from `first` to `end` - 1 by one request, as many as it may have.
  Status fetch(std::size_t first, std::size_t end, Fetched& fetched) const;

 private:
  Status open_memory(std::span<const std::byte> file, const table::FileSum& sum,
                     const DecodeConfig& config);
  Status open_source(std::uint64_t count, const table::FileSum& sum, const DecodeConfig& config);
  std::uint64_t end_of(std::size_t chunk) const;

  std::unique_ptr<RangeSource> source_;
  std::vector<std::byte> bytes_;  // of a file that was read whole
  std::optional<Trailer> trailer_;
  ChunkIndex index_;
  std::optional<FileReader> reader_;
  std::span<const std::byte> memory_;
};

// Compares a file with what the manifest says of it.
Status check_size(std::uint64_t bytes, const table::FileSum& sum);
Status check_sum(std::span<const std::byte> file, const table::FileSum& sum);
// Bytes of a file of texts at most, all of which are read to memory.
inline constexpr std::uint64_t kMaxTextFileBytes = std::uint64_t{1} << 30;
// Reads the file of the texts of a column.
Status read_texts(RangeSource& source, const table::TextFile& described, const DecodeConfig& config,
                  std::shared_ptr<const table::TextValues>& texts);
// Reads the file of nulls of a part, and checks its runs.
Status read_nulls(RangeSource& source, const table::NumberPart& part, const DecodeConfig& config,
                  NullMap& nulls);

}  // namespace numpact::internal
