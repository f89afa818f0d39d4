// SPDX-License-Identifier: Apache-2.0
// Streams standalone Pco files from a source or to a sink of bytes in bounded memory. A reader or
// writer serves one thread at a time, and one call: its source, sink and progress cannot use it
// (kInvalidArgument).
#pragma once

#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <vector>

#include "numpact/file_lock.hpp"
#include "numpact/pco.hpp"

namespace numpact {

// Input of bytes. May block; reports failure as a Status (kIo).
class NUMPACT_API ByteSource {
 public:
  virtual ~ByteSource();
  // Reads 1 to out.size() bytes into `out` and returns their count; 0 only at the end.
  virtual Result<std::size_t> read(std::span<std::byte> out) = 0;
};

// Output of bytes, which takes all.
class NUMPACT_API ByteSink {
 public:
  virtual ~ByteSink();
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
// chunk's metadata if larger), one batch, and the chunk's lookback window and dictionary. With
// several threads or an executor, a read() for more numbers than the next chunk holds reads ahead,
// up to 16 MiB, and decodes whole chunks concurrently, with scratch memory per task and the same
// results and reports.
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

  // After the end of the file: reads the trailer, if there is one, and checks the file against it.
  // kChecksum: with the first chunk that may be damaged; kCorrupt: the trailer contradicts the
  // file; kInvalidArgument: before the end and with kIgnore. A damaged trailer is no error.
  Result<TrailerState> check_trailer() noexcept;
  // What that has found behind the file.
  FileEnd file_end() const noexcept;

  // Bytes decoded so far; after the end, the size of the file (bytes after the terminator are not
  // part of it and may have been read ahead).
  std::uint64_t bytes_consumed() const noexcept;

 private:
  struct Impl;
  detail::Owned<Impl> impl_;
};

// Encodes numbers into a standalone file on a sink. Memory: one chunk of numbers, buffered until it
// is full, and the encoder's scratch memory. With threads or an executor, two chunks per task (or,
// if chunks are small, some 2^16 numbers) are buffered and encoded concurrently, with scratch
// memory per task. The file is the same; bytes, progress and errors keep their order but may occur
// in a later call, in end_chunk() or finish() at the latest.
class NUMPACT_API StreamWriter {
 public:
  // The sink must outlive the writer. config.paging: equal_pages_up_to(n) makes chunks of n
  // numbers, the last one shorter; exact sizes are used in turn, and finish() fails unless all are
  // used up. `n_hint`: the total count if known; it is stored for readers, and under automatic
  // paging the file then equals that of compress().
  StreamWriter(ByteSink& sink, NumberType type, EncodeConfig config = {}, std::uint64_t n_hint = 0,
               std::pmr::memory_resource* memory = std::pmr::get_default_resource());

  // Before any numbers: copies a standalone file of the writer's type without its terminator; later
  // chunks follow its own. It is decoded on the way, so that damage is not continued, and its
  // format version kept: it must be 4 (kUnsupportedVersion), and config.compatibility not older
  // (kInvalidArgument). An intact trailer is checked; a damaged one is kCorrupt, as it may be the
  // only evidence of damage. kCorrupt, with their position: other bytes follow the file, such as a
  // file that was joined to it. kInvalidArgument if config.trailer requests a trailer (use
  // Trailer::make). Other errors: as StreamReader; all are permanent.
  Status copy_file(ByteSource& file) noexcept;

  // Adds numbers of the writer's type; kTypeMismatch otherwise, without effect. Other errors are
  // permanent: all later calls return them.
  Status write(const NumberView& numbers) noexcept;

  // Ends the current chunk early and writes all buffered chunks; no effect if no numbers are
  // waiting. kInvalidArgument: exact sizes, and the chunk is not complete.
  Status end_chunk() noexcept;

  // Writes pending numbers and the terminator, without which a file is truncated.
  Status finish() noexcept;

  // Both include a copied file, and the bytes the trailer, once finished.
  std::uint64_t numbers_written() const noexcept;
  std::uint64_t bytes_written() const noexcept;
  std::uint64_t trailer_bytes() const noexcept;

 private:
  struct Impl;
  detail::Owned<Impl> impl_;
};

// Appends chunks with `numbers` to a standalone file of the same number type: copies it (see
// StreamWriter::copy_file) to a temporary file in the same folder, which then replaces it. Errors
// leave the old file; a crash leaves the old or the new one. Bytes after the old terminator other
// than its trailer are refused, as by copy_file; a count in the header is updated. If
// config.trailer requests a trailer, or is the default and the file had an intact one, one is made
// by decoding the whole file. A damaged trailer, or one that reports damage, is kChecksum or
// kCorrupt. A FileLock is held from before the end is read until the new file is renamed; `lock`
// limits the wait for it (kTimedOut).
NUMPACT_API Status append_to_file(const std::string& path, const NumberView& numbers,
                                  const EncodeConfig& config = {},
                                  const LockConfig& lock = {}) noexcept;

// The same without a copy, in time and space for the new numbers: a trailer of the kind requested
// is continued, not made anew. Without a trailer the codes of the file are read. Until the last
// byte is written, and after a crash, the old numbers or all can be read; a crash may cost the
// trailer and leave bytes behind the file, which repair_file() cuts off; until then appending
// refuses them (kCorrupt), as it does all bytes but a trailer or the beginning of one that was not
// finished. The old chunks are read only if the file's trailer is not continued: then they are
// compared with it. Else it still tells of their damage. Errors leave the old file.
// Readers that map the file must not read its trailer meanwhile.
NUMPACT_API Status append_in_place(const std::string& path, const NumberView& numbers,
                                   const EncodeConfig& config = {},
                                   const LockConfig& lock = {}) noexcept;

// Ends a file that its writer left unfinished, such as a log without a terminator, behind its last
// whole chunk, and returns how many numbers it has. All are decoded, and if the file has a trailer
// compared with it as by verify(). A file that is damaged, or whose trailer is, stays as it is
// (kCorrupt, kChecksum; kTruncated: more chunks follow one that claims too many bytes), also one
// that another Pco file follows (kCorrupt). `trailer`: made if wanted and anything was repaired.
NUMPACT_API Result<std::uint64_t> repair_file(const std::string& path,
                                              const TrailerSpec& trailer = {},
                                              const LockConfig& lock = {}) noexcept;

}  // namespace numpact
