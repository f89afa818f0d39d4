// SPDX-License-Identifier: Apache-2.0
// Random access to the numbers of a standalone file in memory.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "numpact/pco.hpp"

namespace numpact {

struct IndexedChunk {
  std::uint64_t offset = 0;       // of the chunk, in bytes
  std::uint64_t page_offset = 0;  // end of its metadata, in bytes
  std::uint64_t first = 0;        // numbers in the chunks before it
  std::uint64_t count = 0;        // 1 to 2^24

  friend bool operator==(const IndexedChunk&, const IndexedChunk&) = default;
};

namespace detail {
struct ChunkIndexAccess;
}

// The positions of all chunks. Immutable and cheap to copy; does not refer to the file's memory.
class NUMPACT_API ChunkIndex {
 public:
  ChunkIndex() = default;  // for a file without numbers

  // Uses an intact trailer if config.trailer allows it; it is compared with the file during reads.
  // Otherwise walks the file as count_numbers() does, with its errors and the config's threads. The
  // index does not count as memory.
  static Result<ChunkIndex> build(std::span<const std::byte> file, const DecodeConfig& config = {},
                                  DecodeContext* context = nullptr) noexcept;

  // Restores an index from the results of type() and chunks(). kInvalidArgument: inconsistent
  // entries (counts out of range or not cumulative, positions out of order, metadata of 4 GiB,
  // chunks without a type). Reads check whether it fits the file.
  static Result<ChunkIndex> from_chunks(std::optional<NumberType> type,
                                        std::vector<IndexedChunk> chunks) noexcept;

  std::optional<NumberType> type() const noexcept;  // none: an empty file without a type
  std::uint64_t count() const noexcept;
  std::size_t chunk_count() const noexcept;
  IndexedChunk chunk(std::size_t index) const noexcept;  // `index` is below chunk_count()
  // In file order, as a list made at the first call; valid while this index or a copy lives. Empty
  // if memory does not suffice.
  std::span<const IndexedChunk> chunks() const noexcept;
  // The chunk that holds a number below count().
  std::size_t chunk_of(std::uint64_t number) const noexcept;

  struct Table;

 private:
  friend struct detail::ChunkIndexAccess;
  friend class Trailer;
  friend class FileReader;
  std::shared_ptr<const Table> table_;  // null: empty
};

// Reads ranges of numbers of a file in memory, such as a MappedFile. Immutable, cheap to copy,
// thread-safe with one context per thread.
class NUMPACT_API FileReader {
 public:
  // `file` must outlive the reader and not change. Reads the header. kInvalidArgument: the index
  // clearly belongs to another file.
  static Result<FileReader> create(std::span<const std::byte> file, ChunkIndex index) noexcept;
  // The same with a known header, for files whose own is damaged (see Verification).
  static Result<FileReader> create(std::span<const std::byte> file, ChunkIndex index,
                                   const FileHeader& header) noexcept;
  // Builds the index. Errors: as ChunkIndex::build.
  static Result<FileReader> create(std::span<const std::byte> file, const DecodeConfig& config = {},
                                   DecodeContext* context = nullptr) noexcept;

  std::uint64_t count() const noexcept { return index_.count(); }
  std::optional<NumberType> type() const noexcept { return index_.type(); }
  const FileHeader& header() const noexcept { return header_; }
  const ChunkIndex& index() const noexcept { return index_; }

  // Decodes the numbers [first, first + out.count) into `out`, from the beginning of their chunk or
  // the previous restart point; with threads or an executor, chunks and segments between restart
  // points concurrently. With an index from a trailer, checksums of chunks read whole and restart
  // points passed are checked. Errors: kTypeMismatch; kInvalidArgument for numbers past the end and
  // if the index does not fit the file (kCorrupt or kChecksum for one from a trailer); those of
  // decoding. After an error `out` is unspecified. Limits apply to `out`; progress counts numbers
  // written and bytes passed since the first chunk touched.
  Status read(std::uint64_t first, const MutableNumberView& out, const DecodeConfig& config = {},
              DecodeContext* context = nullptr) const noexcept;
  // The same into a new vector, allocated after the range check.
  template <Number T>
  Result<std::vector<T>> read(std::uint64_t first, std::uint64_t count,
                              const DecodeConfig& config = {},
                              DecodeContext* context = nullptr) const noexcept {
    std::vector<T> out;
    Status status = check_range(first, count, kNumberTypeOf<T>);
    if (status.ok()) {
      status = detail::guard([&] {
        out.resize(static_cast<std::size_t>(count));
        return read(first, MutableNumberView(out), config, context);
      });
    }
    if (!status.ok()) return status;
    return out;
  }

 private:
  FileReader(std::span<const std::byte> file, const FileHeader& header, ChunkIndex index)
      : file_(file), header_(header), index_(std::move(index)) {}
  Status check_range(std::uint64_t first, std::uint64_t count, NumberType type) const noexcept;

  std::span<const std::byte> file_;
  FileHeader header_;
  ChunkIndex index_;
};

}  // namespace numpact
