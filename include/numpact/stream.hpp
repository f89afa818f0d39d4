// SPDX-License-Identifier: Apache-2.0
// Standalone Pco files piece by piece, with bounded memory, over any source or sink of bytes.
//
// A Reader or Writer serves one thread at a time; different objects are independent.
#ifndef NUMPACT_STREAM_HPP
#define NUMPACT_STREAM_HPP

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
#include "numpact/lock_config.hpp"
#include "numpact/pco.hpp"
#include "numpact/types.hpp"

namespace numpact {

// Where bytes come from. Implementations may block; they report failure as a Status (kIo).
class NUMPACT_API ByteSource {
 public:
  virtual ~ByteSource();
  // Reads at least one byte and at most out.size() into `out`, sets `got`; 0 only at the end.
  virtual Status read(std::span<std::byte> out, std::size_t& got) = 0;
};

// Where bytes go.
class NUMPACT_API ByteSink {
 public:
  virtual ~ByteSink();
  // Takes all of `bytes`.
  virtual Status write(std::span<const std::byte> bytes) = 0;
};

// Bytes in memory as a source; does not own them.
class NUMPACT_API MemorySource final : public ByteSource {
 public:
  // At most `piece` bytes are handed out at a time.
  explicit MemorySource(std::span<const std::byte> bytes, std::size_t piece = SIZE_MAX)
      : bytes_(bytes), piece_(piece) {}
  Status read(std::span<std::byte> out, std::size_t& got) override;

 private:
  std::span<const std::byte> bytes_;
  std::size_t piece_;
};

// Collects bytes in a vector that the caller owns.
class NUMPACT_API VectorSink final : public ByteSink {
 public:
  explicit VectorSink(std::vector<std::byte>& out) : out_(out) {}
  Status write(std::span<const std::byte> bytes) override;

 private:
  std::vector<std::byte>& out_;
};

// A file on disk as a source. kIo with the system's reason in Error's message where it cannot be
// opened.
class NUMPACT_API FileSource final : public ByteSource {
 public:
  explicit FileSource(const std::string& path);
  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  Status read(std::span<std::byte> out, std::size_t& got) override;

 private:
  int descriptor_;
};

// Decodes a standalone file from a source, in order. Memory: a window of the input (about 64 KiB,
// or a chunk's metadata if that is larger), one batch, and what the chunk's lookback window and
// dictionary need; it grows only with bytes that have arrived or numbers that were decoded.
//
// With threads or an executor in the config, a try_read() of more numbers than the next chunk has
// reads ahead, up to 16 MiB of input, and decodes whole chunks at the same time straight to the
// caller's memory; each task has scratch of its own. What is given and reported stays the same.
class NUMPACT_API StreamReader {
 public:
  // The source must outlive the reader. Reads nothing yet.
  explicit StreamReader(ByteSource& source, DecodeConfig config = {},
                        std::pmr::memory_resource* memory = std::pmr::get_default_resource());
  ~StreamReader();
  StreamReader(StreamReader&&) noexcept;
  StreamReader& operator=(StreamReader&&) noexcept;

  // The file's header and number type; reads as far as the first chunk's type byte.
  Status try_header(FileHeader& header) noexcept;
  FileHeader header() {
    FileHeader header;
    throw_if_error(try_header(header));
    return header;
  }

  // Decodes the next numbers into `out`; `count` becomes how many: less than out.count only at the
  // end of the file. Errors as try_decompress_into; after one the reader gives it again.
  Status try_read(const MutableNumberView& out, std::size_t& count) noexcept;
  template <Number T>
  std::size_t read(std::span<T> out) {
    std::size_t count = 0;
    throw_if_error(try_read(MutableNumberView(out), count));
    return count;
  }

  // After the end of the file: reads on, to the end of the source if what follows may be a trailer,
  // and holds the file against it. Errors: kChecksum, with the first chunk of those that may be
  // damaged; kCorrupt where the trailer contradicts the file; those of the source; kInvalidArgument
  // before the end and with TrailerPolicy::kIgnore. A trailer that is damaged itself is no error,
  // but `state` says so.
  Status try_check_trailer(TrailerState& state) noexcept;
  TrailerState check_trailer() {
    TrailerState state = TrailerState::kNone;
    throw_if_error(try_check_trailer(state));
    return state;
  }

  // Bytes of the file decoded so far; once the end is reached, where the file ends in the source
  // (what follows the terminator is not part of the file and may have been read ahead).
  std::uint64_t bytes_consumed() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Encodes numbers into a standalone file on a sink. Numbers are gathered until a chunk is full, so
// memory is one chunk of numbers and the encoder's scratch for it.
//
// With threads or an executor in the config, they are gathered until there are two chunks for each
// task (or, where chunks are small, some 2^16 numbers), and then encoded at the same time; each
// task has scratch of its own. Whole chunks within one try_write() need not be gathered. The file
// is the same; bytes, progress and errors of the sink or callback come in the same order but
// perhaps in a later call: in try_end_chunk() or try_finish() at the latest.
class NUMPACT_API StreamWriter {
 public:
  // The sink must outlive the writer. config.paging: equal_pages_up_to(n) makes chunks of n numbers
  // (the last one shorter); exact sizes are taken in turn, and finish() fails unless they are used
  // up exactly. `n_hint` is the count of numbers to come if known: stored for readers' convenience;
  // under automatic paging the file is then that of compress().
  StreamWriter(ByteSink& sink, NumberType type, EncodeConfig config = {}, std::uint64_t n_hint = 0,
               std::pmr::memory_resource* memory = std::pmr::get_default_resource());
  ~StreamWriter();
  StreamWriter(StreamWriter&&) noexcept;
  StreamWriter& operator=(StreamWriter&&) noexcept;

  // Before any numbers: gives the sink a standalone file of the writer's type without its
  // terminator; what is written follows its chunks. The file is decoded on the way, so that no
  // damaged one is continued, in the memory of a StreamReader. Its format version holds: it must be
  // 4 (kUnsupportedVersion), and config.compatibility not older (kInvalidArgument). What follows
  // its end is left out, but if it is a sound trailer, what is copied is held against it, and a
  // damaged one is an error (kCorrupt): it may be the only witness of damage. Errors as
  // StreamReader's, and for good; kInvalidArgument if a trailer is wanted: of what is copied it
  // would say nothing (Trailer::try_make is for all of a file).
  Status try_copy_file(ByteSource& file) noexcept;
  void copy_file(ByteSource& file) { throw_if_error(try_copy_file(file)); }

  // Takes numbers of the writer's type (kTypeMismatch otherwise, which changes nothing). Any other
  // error is given again by all later calls.
  Status try_write(const NumberView& numbers) noexcept;
  template <Number T>
  void write(std::span<const T> numbers) {
    throw_if_error(try_write(NumberView(numbers)));
  }

  // Ends the current chunk early; kInvalidArgument under exact sizes. Nothing happens if no numbers
  // are waiting.
  Status try_end_chunk() noexcept;
  void end_chunk() { throw_if_error(try_end_chunk()); }

  // Writes what is left and the terminator. A writer that is destroyed before leaves an unfinished
  // file, which readers refuse as truncated.
  Status try_finish() noexcept;
  void finish() { throw_if_error(try_finish()); }

  // Those of a file that was copied among them.
  std::uint64_t numbers_written() const noexcept;
  // The trailer among them, once the writer has finished.
  std::uint64_t bytes_written() const noexcept;
  std::uint64_t trailer_bytes() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Appends chunks with `numbers` to an existing standalone file of the same number type: copies it
// as StreamWriter::try_copy_file does to a file beside it, which takes its place when all is
// written. So errors leave it as it is, and a crash leaves the old file or the new one; bytes after
// the old terminator are lost. A header that names the old count names the new one. Where
// config.trailer is wanted, or a sound trailer was there, one for all of the file is made by
// decoding it; chunks that the old one says are damaged are kChecksum, and so is a trailer that is
// damaged itself, or kCorrupt.
//
// Any number of threads and processes may append to a file at the same time, also while others
// replace it by numpact: it is locked (FileLock) from before its end is read until the new file has
// the name. `lock` says how long to wait for others: kTimedOut after that; without one, without
// end.
NUMPACT_API Status try_append_to_file(const std::string& path, const NumberView& numbers,
                                      const EncodeConfig& config = {}) noexcept;
NUMPACT_API Status try_append_to_file(const std::string& path, const NumberView& numbers,
                                      const EncodeConfig& config, const LockConfig& lock) noexcept;
template <Number T>
void append_to_file(const std::string& path, std::span<const T> numbers,
                    const EncodeConfig& config = {}, const LockConfig& lock = {}) {
  const Status status = try_append_to_file(path, NumberView(numbers), config, lock);
  if (!status.ok()) detail::throw_error(status, path);
}

}  // namespace numpact

#endif
