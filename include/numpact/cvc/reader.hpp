// SPDX-License-Identifier: Apache-2.0
// Reads CVC files of every version. Errors of the contents: kCorrupt, kTruncated, kChecksum,
// kUnsupportedVersion (also for an unknown compression). Their text names the header field;
// offset() is its position or that of the payload in the file; chunk() is the chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "numpact/cvc/config.hpp"
#include "numpact/cvc/types.hpp"
#include "numpact/error.hpp"
#include "numpact/file_access.hpp"

namespace numpact::cvc {

// Reads rows of a file in memory or of a RangeSource. Immutable, cheap to copy, thread-safe.
class NUMPACT_API Reader {
 public:
  // `file` must outlive the reader and its copies. Bytes after the last chunk are ignored.
  static Result<Reader> create(std::span<const std::byte> file,
                               const DecodeLimits& limits = {}) noexcept;
  // The same for a file on disk, which is mapped (see MappedFile) as long as a copy lives.
  static Result<Reader> open(const std::string& path, const DecodeLimits& limits = {}) noexcept;

  // For a remote file, or one whose source has it in memory (RangeSource::bytes), which is used in
  // place. Of others the header is read in steps; record lengths are read only where the header
  // lacks them. Reading rows needs memory for one chunk per task besides its output. A chunk is
  // fetched whole if its checksum is compared. Otherwise only the requested rows and columns are
  // fetched (a column stored as lossless or pco always whole), and gaps between them below 64 KiB.
  // Errors of the source keep kind and text; offset() is where reading stopped, chunk() the chunk.
  // kTruncated: the file ends early.
  static Result<Reader> create(std::shared_ptr<RangeSource> source,
                               const DecodeLimits& limits = {}) noexcept;

  // The rows of several files in memory, in this order, as those of one file: chunks, sections and
  // rows are counted through, Info::metadata and Info::header are those of the first file, and
  // offsets are those in the file of a chunk. `checksums`: the CRC-32 of each file, which verify()
  // then compares; or none. kInvalidArgument: no files, files of other columns (same_columns), or
  // of other major versions, or not in memory.
  static Result<Reader> join(std::span<const Reader> files,
                             std::span<const std::uint32_t> checksums = {}) noexcept;

  const Info& info() const noexcept;
  std::uint64_t rows() const noexcept { return info().rows; }
  std::size_t chunk_of(std::uint64_t row) const noexcept;  // of a row below rows()

  // Reads the rows of the ranges, in order, into each target. The target's dimension is the
  // column's; its row count is at least that of the ranges (else kOutputTooSmall).
  // kInvalidArgument: rows past the end. Memory after the rows read is not touched. After an error
  // the target rows are unspecified.
  Result<ReadReport> read(std::span<const RowRange> ranges, std::span<const Target> targets,
                          const ReadConfig& config = {}) const noexcept;
  // Reads single rows, in any order and with repeats. on_corruption must be kRaise.
  Status gather(std::span<const std::uint64_t> rows, std::span<const Target> targets,
                const ReadConfig& config = {}) const noexcept;

  // Values of column 0, or of another column.
  template <Value T = float>
  Result<std::vector<T>> read_all(const ReadConfig& config = {},
                                  std::size_t column = 0) const noexcept {
    return read_rows<T>(0, rows(), config, column);
  }
  template <Value T = float>
  Result<std::vector<T>> read_rows(std::uint64_t first, std::uint64_t count,
                                   const ReadConfig& config = {},
                                   std::size_t column = 0) const noexcept {
    return read_values<T>(count, column, config, [&](std::span<const Target> targets) {
      const RowRange range{first, count};
      return read({&range, 1}, targets, config);
    });
  }
  template <Value T = float>
  Result<std::vector<T>> read_chunk(std::size_t chunk, const ReadConfig& config = {},
                                    std::size_t column = 0) const noexcept {
    if (chunk >= info().chunks.size()) {
      return Status(ErrorKind::kInvalidArgument, "the file has no such chunk");
    }
    const Chunk& found = info().chunks[chunk];
    return read_rows<T>(found.first_row, found.rows, config, column);
  }
  template <Value T = float>
  Result<std::vector<T>> gather(std::span<const std::uint64_t> rows, const ReadConfig& config = {},
                                std::size_t column = 0) const noexcept {
    return read_values<T>(rows.size(), column, config,
                          [&](std::span<const Target> targets) -> Result<ReadReport> {
                            const Status status = gather(rows, targets, config);
                            if (!status.ok()) return status;
                            return ReadReport{rows.size(), {}};
                          });
  }

  // Rows of the sections whose metadata is an object with metadata[key] equal to the JSON value, in
  // file order. As in Python, 1, 1.0 and true are equal. kInvalidArgument: `value` is not JSON.
  Result<std::vector<RowRange>> find_sections(std::string_view key,
                                              std::string_view value) const noexcept;
  // The same for chunk metadata.
  Result<std::vector<std::size_t>> find_chunks(std::string_view key,
                                               std::string_view value) const noexcept;

  // Codes in place, as views into the file. kTypeMismatch: lossless or pco data. kInvalidArgument:
  // the file is not in memory.
  Result<Codes> codes(std::size_t chunk, std::size_t column,
                      const ReadConfig& config = {}) const noexcept;
  // Copies the codes of rows across chunks, all of one size, to rows `stride` bytes apart (0: no
  // gaps), little-endian as Codes::bytes. The runs describe their meaning.
  Result<std::vector<CodeRun>> read_codes(const RowRange& rows, std::size_t column,
                                          std::span<std::byte> out, std::size_t stride,
                                          const ReadConfig& config = {}) const noexcept;

  // The stored bytes of a column in a chunk, of any compression: in place, or fetched whole. The
  // checksum is compared only with config.verify.
  Result<StoredSlice> stored_slice(std::size_t chunk, std::size_t column,
                                   const ReadConfig& config = {}) const noexcept;

  // For EncodedChunk::checksum; none in versions without checksums. As codes(), only in memory.
  Result<std::optional<std::uint32_t>> checksum(std::size_t chunk) const noexcept;

  // Checks every chunk: checksum (if the version has one) and decodability. Problems of chunks go
  // to the report; the errors are others: kCancelled, kOutOfMemory, kLimitExceeded (output limits
  // count all values of the file).
  Result<VerifyReport> verify(const ReadConfig& config = {}) const noexcept;

 private:
  struct Impl;
  Reader() = default;
  Status check_sizes(std::uint64_t rows, std::size_t column, Dtype dtype,
                     const DecodeLimits& limits) const noexcept;
  // A vector for `rows` rows, which `read` fills; it returns how many it wrote.
  template <Value T, class Read>
  Result<std::vector<T>> read_values(std::uint64_t rows, std::size_t column,
                                     const ReadConfig& config, const Read& read) const noexcept {
    std::vector<T> out;
    const Status status = numpact::detail::guard([&]() -> Status {
      const Status checked = check_sizes(rows, column, kDtypeOf<T>, config.limits);
      if (!checked.ok()) return checked;
      const std::uint64_t dimension = info().columns[column].dimension;
      out.resize(static_cast<std::size_t>(rows * dimension));
      const Target target{MutableRows(kDtypeOf<T>, out.data(), rows, dimension), column};
      const Result<ReadReport> report = read(std::span(&target, 1));
      if (report.ok()) out.resize(static_cast<std::size_t>(report->rows * dimension));
      return report.status();
    });
    if (!status.ok()) return status;
    return out;
  }
  std::shared_ptr<const Impl> impl_;
};

// Reading without the whole file: how many bytes from its start parse_header() needs. If more than
// prefix.size(), call again with that many bytes, or with all there are. `file_bytes`: the size of
// the file, if known.
NUMPACT_API Result<std::uint64_t> header_bytes(
    std::span<const std::byte> prefix, std::optional<std::uint64_t> file_bytes = {}) noexcept;
// Parses the header from the start of a file; reads no record. If `file_bytes`, the size of the
// file, is known, records are checked to lie inside.
NUMPACT_API Result<Info> parse_header(std::span<const std::byte> prefix,
                                      const DecodeLimits& limits = {},
                                      std::optional<std::uint64_t> file_bytes = {}) noexcept;
// Decodes one chunk from its record, including the record header; bytes after it are ignored. Only
// the limits and `verify` of the config apply. kInvalidArgument: kFill or kDrop.
NUMPACT_API Status decode_chunk(const Info& info, std::size_t chunk,
                                std::span<const std::byte> record, std::span<const Target> targets,
                                const ReadConfig& config = {}) noexcept;

// Decodes rows of a slice, counted within it, into the first rows of `out`.
NUMPACT_API Status decode_slice(const StoredSlice& slice, const RowRange& rows,
                                const MutableRows& out) noexcept;

}  // namespace numpact::cvc
