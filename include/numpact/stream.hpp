// SPDX-License-Identifier: Apache-2.0
// Streams standalone Pco files from a source or to a sink of bytes in bounded memory.
//
// A reader or writer serves one thread at a time; different objects are independent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "numpact/config.hpp"
#include "numpact/error.hpp"
#include "numpact/file_lock.hpp"
#include "numpact/pco.hpp"
#include "numpact/types.hpp"

namespace numpact {

// Input of bytes. May block; reports failure as a Status (kIo).
class NUMPACT_API ByteSource {
 public:
  virtual ~ByteSource();
  // Reads 1 to out.size() bytes into `out` and returns their count; 0 only at the end.
  virtual Result<std::size_t> read(std::span<std::byte> out) = 0;
};

// Output of bytes.
class NUMPACT_API ByteSink {
 public:
  virtual ~ByteSink();
  // Takes all of `bytes`.
  virtual Status write(std::span<const std::byte> bytes) = 0;
};

// Bytes in memory as a source; does not own them.
class NUMPACT_API MemorySource final : public ByteSource {
 public:
  // Returns at most `max_read` bytes per read.
  explicit MemorySource(std::span<const std::byte> bytes, std::size_t max_read = SIZE_MAX)
      : bytes_(bytes), max_read_(max_read) {}
  Result<std::size_t> read(std::span<std::byte> out) override;

 private:
  std::span<const std::byte> bytes_;
  std::size_t max_read_;
};

// Appends to a vector owned by the caller.
class NUMPACT_API VectorSink final : public ByteSink {
 public:
  explicit VectorSink(std::vector<std::byte>& out) : out_(out) {}
  Status write(std::span<const std::byte> bytes) override;

 private:
  std::vector<std::byte>& out_;
};

// A file on disk as a source.
class NUMPACT_API FileSource final : public ByteSource {
 public:
  // kIo, with the system's error, if the file cannot be opened.
  static Result<FileSource> open(const std::string& path) noexcept;
  ~FileSource() override;
  FileSource(FileSource&& other) noexcept;
  Result<std::size_t> read(std::span<std::byte> out) override;

 private:
  explicit FileSource(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;  // -1 after a move
};

// Decodes a standalone file from a source, in order. Memory: an input window (about 64 KiB, or a
// chunk's metadata if larger), one batch, and the chunk's lookback window and dictionary. It grows
// only with bytes received or numbers decoded.
//
// With several threads or an executor, a read() for more numbers than the next chunk holds reads
// ahead, up to 16 MiB of input, and decodes whole chunks concurrently into the caller's memory,
// with scratch memory per task. Results and reports stay the same.
class NUMPACT_API StreamReader {
 public:
  // The source must outlive the reader. Reads nothing yet.
  explicit StreamReader(ByteSource& source, DecodeConfig config = {},
                        std::pmr::memory_resource* memory = std::pmr::get_default_resource());

  // The header and number type; reads up to the first chunk's type byte.
  Result<FileHeader> header() noexcept;

  // Decodes the next numbers into `out`; returns their count, which is less than out.count only at
  // the end of the file. Errors: as decompress_into; good_numbers() counts those of this call that
  // were decoded. An error is returned again by later calls.
  Result<std::size_t> read(const MutableNumberView& out) noexcept;

  // After the end of the file: reads on, to the end of the source if a trailer may follow, and
  // checks the file against it. Errors: kChecksum, with the first chunk that may be damaged;
  // kCorrupt if the trailer contradicts the file; those of the source; kInvalidArgument before the
  // end and with TrailerPolicy::kIgnore. A trailer that is itself damaged is no error.
  Result<TrailerState> check_trailer() noexcept;

  // Bytes decoded so far; after the end, the size of the file (bytes after the terminator are not
  // part of it and may have been read ahead).
  std::uint64_t bytes_consumed() const noexcept;

 private:
  struct Impl;
  detail::Owned<Impl> impl_;
};

// Encodes numbers into a standalone file on a sink. Memory: one chunk of numbers, buffered until it
// is full, and the encoder's scratch memory.
//
// With threads or an executor, two chunks per task (or, if chunks are small, some 2^16 numbers) are
// buffered and encoded concurrently, with scratch memory per task; whole chunks within one
// write() need no buffer. The file is the same; bytes, progress and errors of the sink or callback
// keep their order but may occur in a later call, in end_chunk() or finish() at the latest.
class NUMPACT_API StreamWriter {
 public:
  // The sink must outlive the writer. config.paging: equal_pages_up_to(n) makes chunks of n
  // numbers, the last one shorter; exact sizes are used in turn, and finish() fails unless all are
  // used up. `n_hint`: the total count if known; it is stored for readers, and under automatic
  // paging the file then equals that of compress().
  StreamWriter(ByteSink& sink, NumberType type, EncodeConfig config = {}, std::uint64_t n_hint = 0,
               std::pmr::memory_resource* memory = std::pmr::get_default_resource());

  // Before any numbers: copies a standalone file of the writer's type without its terminator; later
  // chunks follow its own. The file is decoded on the way, in the memory of a StreamReader, so that
  // damage is not continued. Its format version is kept: it must be 4 (kUnsupportedVersion), and
  // config.compatibility not older (kInvalidArgument). Bytes after its end are dropped; an intact
  // trailer is checked against the copied chunks, and a damaged one is an error (kCorrupt), as it
  // may be the only evidence of damage. kInvalidArgument if config.trailer requests a trailer: it
  // would not cover the copied chunks (use Trailer::make). Other errors: as StreamReader.
  // Errors are permanent.
  Status copy_file(ByteSource& file) noexcept;

  // Adds numbers of the writer's type; kTypeMismatch otherwise, without effect. Other errors are
  // permanent: all later calls return them.
  Status write(const NumberView& numbers) noexcept;

  // Ends the current chunk early and writes all buffered chunks; no effect if no numbers are
  // waiting. kInvalidArgument: exact sizes, and the chunk is not complete.
  Status end_chunk() noexcept;

  // Writes pending numbers and the terminator. Destroying the writer earlier leaves an unfinished
  // file, which readers reject as truncated.
  Status finish() noexcept;

  // Includes a copied file.
  std::uint64_t numbers_written() const noexcept;
  // Includes the trailer, once finished.
  std::uint64_t bytes_written() const noexcept;
  std::uint64_t trailer_bytes() const noexcept;

 private:
  struct Impl;
  detail::Owned<Impl> impl_;
};

// Appends chunks with `numbers` to a standalone file of the same number type: copies it (see
// StreamWriter::copy_file) to a temporary file in the same folder, which then replaces it.
// Errors leave the old file; a crash leaves the old or the new one. Bytes after the old terminator
// are lost. A count stored in the header is updated. If config.trailer requests a trailer, or is
// the default and the file had an intact one, one is made by decoding the whole file. Damage
// reported by the old trailer is kChecksum; a damaged trailer is kChecksum or kCorrupt.
//
// Safe against concurrent appends and replacements by numpact in any thread or process: the file is
// locked (FileLock) from before its end is read until the new file is renamed. `lock` limits the
// wait (kTimedOut); without it the wait is unlimited.
NUMPACT_API Status append_to_file(const std::string& path, const NumberView& numbers,
                                  const EncodeConfig& config = {},
                                  const LockConfig& lock = {}) noexcept;

}  // namespace numpact
