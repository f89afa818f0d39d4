// SPDX-License-Identifier: Apache-2.0
// Any stretch of the numbers of a standalone file in memory, without decoding all of it.
//
// The throwing functions throw Error; the try_ functions are noexcept and give a Status.
#ifndef NUMPACT_RANDOM_ACCESS_HPP
#define NUMPACT_RANDOM_ACCESS_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "numpact/config.hpp"
#include "numpact/error.hpp"
#include "numpact/pco.hpp"
#include "numpact/types.hpp"

namespace numpact {

// Where a chunk lies in its file and which numbers it holds.
struct IndexedChunk {
  std::uint64_t offset = 0;       // of the chunk, in bytes
  std::uint64_t page_offset = 0;  // of what follows its metadata
  std::uint64_t first = 0;        // numbers in the chunks before it
  std::uint64_t count = 0;        // its own, 1 to 2^24

  friend bool operator==(const IndexedChunk&, const IndexedChunk&) = default;
};

namespace detail {
struct ChunkIndexAccess;
}

// Where the chunks of a file are. Immutable and cheap to copy: copies share one table. It holds
// nothing of the file and may be kept, for as long as the file does not change.
class NUMPACT_API ChunkIndex {
 public:
  // Of a file without numbers.
  ChunkIndex() = default;

  // From the file's trailer where there is a sound one and config.trailer allows: whether it is
  // true of the file is then found where that is read. Else walks the file: its tANS codes are
  // read, numbers are not made; about half the cost of decoding, shared by the threads that the
  // config asks for. Errors as try_count_numbers; `index` is then empty. Limits hold as if the
  // numbers were decoded; the index itself is not counted.
  static Status try_build(std::span<const std::byte> file, ChunkIndex& index,
                          const DecodeConfig& config = {},
                          DecodeContext* context = nullptr) noexcept;
  static ChunkIndex build(std::span<const std::byte> file, const DecodeConfig& config = {},
                          DecodeContext* context = nullptr) {
    ChunkIndex index;
    throw_if_error(try_build(file, index, config, context));
    return index;
  }

  // From what type() and chunks() gave earlier. kInvalidArgument where that contradicts itself:
  // counts out of range or not adding up, places not in order, metadata of 4 GiB, chunks without a
  // type. Whether it
  // fits a file is checked when that is read.
  static Result<ChunkIndex> from_chunks(std::optional<NumberType> type,
                                        std::vector<IndexedChunk> chunks) noexcept;

  // None: the file is empty and does not say what of.
  std::optional<NumberType> type() const noexcept;
  std::uint64_t count() const noexcept;
  std::size_t chunk_count() const noexcept;
  // Of a chunk below chunk_count().
  IndexedChunk chunk(std::size_t index) const noexcept;
  // All of them in file order, as a list that is made when it is first asked for, of 32 bytes for
  // each; valid as long as this index or a copy lives. Empty where memory does not suffice for it.
  std::span<const IndexedChunk> chunks() const noexcept;
  // The chunk that holds a number below count().
  std::size_t chunk_of(std::uint64_t number) const noexcept;

  struct Table;

 private:
  friend struct detail::ChunkIndexAccess;
  friend class Trailer;
  friend class FileReader;
  friend class DevicePlanner;
  std::shared_ptr<const Table> table_;  // null: nothing
};

// Reads numbers of a file in memory (a MappedFile's, say) by their places. Immutable, cheap to
// copy; any number of threads may read with the same one, each with a context of its own.
class NUMPACT_API FileReader {
 public:
  // The bytes must outlive the reader and not change. Reads the header, no chunk. Errors: those of
  // a bad header, kInvalidArgument where the index is plainly not of this file.
  static Result<FileReader> create(std::span<const std::byte> file, ChunkIndex index) noexcept;
  // The same with a header that is known, as that in the file may be damaged: see Verification.
  static Result<FileReader> create(std::span<const std::byte> file, ChunkIndex index,
                                   const FileHeader& header) noexcept;
  // With an index built for it; errors as ChunkIndex::try_build.
  static Result<FileReader> create(std::span<const std::byte> file, const DecodeConfig& config = {},
                                   DecodeContext* context = nullptr) noexcept;

  std::uint64_t count() const noexcept { return index_.count(); }
  std::optional<NumberType> type() const noexcept { return index_.type(); }
  const FileHeader& header() const noexcept { return header_; }
  const ChunkIndex& index() const noexcept { return index_; }

  // Decodes the numbers [first, first + out.count) into `out`. Only their chunks are touched; in
  // each, numbers before the first are decoded and dropped, from the chunk's start or the restart
  // point before, those after the last are not decoded. With threads or an executor, chunks, and
  // what lies between restart points, are decoded at the same time. With an index from a trailer,
  // checksums of chunks that are read whole are compared, and restart points that are passed.
  // Errors: kTypeMismatch; kInvalidArgument for numbers past the end and where the index does not
  // fit the file (kCorrupt, kChecksum for one of a trailer); kLimitExceeded (max_numbers and
  // max_output_bytes are about `out`); what bad bytes give, kOutOfMemory, kCancelled. What `out`
  // holds after an error is unspecified. Progress counts the numbers written, and bytes of the file
  // passed since the first chunk touched.
  Status try_read(std::uint64_t first, const MutableNumberView& out,
                  const DecodeConfig& config = {}, DecodeContext* context = nullptr) const noexcept;

  template <Number T>
  void read(std::uint64_t first, std::span<T> out, const DecodeConfig& config = {},
            DecodeContext* context = nullptr) const {
    throw_if_error(try_read(first, MutableNumberView(out), config, context));
  }
  // The same to a new vector, which is sized after the range is checked.
  template <Number T>
  std::vector<T> read(std::uint64_t first, std::uint64_t count, const DecodeConfig& config = {},
                      DecodeContext* context = nullptr) const {
    throw_if_error(check_range(first, count, kNumberTypeOf<T>));
    std::vector<T> out(static_cast<std::size_t>(count));
    read(first, std::span<T>(out), config, context);
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

#endif
