// SPDX-License-Identifier: Apache-2.0
// Reads CVC files of every version.
//
// The throwing functions throw Error; the try_ functions are noexcept and return a Status. Errors
// of the contents: kCorrupt, kTruncated, kChecksum, kUnsupportedVersion (also for an unknown
// compression). Their text names the header field; offset() is its position or that of the payload
// in the file; chunk() is the chunk.
#ifndef NUMPACT_CVC_READER_HPP
#define NUMPACT_CVC_READER_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "numpact/config.hpp"
#include "numpact/cvc/read_config.hpp"
#include "numpact/cvc/stored_slice.hpp"
#include "numpact/cvc/types.hpp"
#include "numpact/error.hpp"
#include "numpact/range_source.hpp"

namespace numpact::cvc {

// Reads rows of a file in memory or of a RangeSource. Immutable, cheap to copy, thread-safe.
class NUMPACT_API Reader {
 public:
  // `file` must outlive the reader and its copies. Reads the header and all record lengths. Bytes
  // after the last chunk are ignored.
  static Result<Reader> create(std::span<const std::byte> file,
                               const DecodeLimits& limits = {}) noexcept;
  // The same for a file on disk, which is mapped (see MappedFile) as long as a copy lives.
  static Result<Reader> open(const std::string& path, const DecodeLimits& limits = {}) noexcept;

  // For a remote file. The header is read in steps; record lengths are read only where the header
  // lacks them. Reading rows needs memory for one chunk per task besides its output. A chunk is
  // fetched whole if its checksum is compared. Otherwise only the requested rows and columns are
  // fetched (a column stored as lossless or pco always whole), and gaps between them below 64 KiB.
  // Errors of the source keep kind and text; offset() is where reading stopped, chunk() the chunk.
  // kTruncated: the file ends early.
  static Result<Reader> create(std::shared_ptr<RangeSource> source,
                               const DecodeLimits& limits = {}) noexcept;

  // Throw Error; the message of the path overload names the path.
  explicit Reader(std::span<const std::byte> file, const DecodeLimits& limits = {});
  explicit Reader(const std::string& path, const DecodeLimits& limits = {});
  explicit Reader(std::shared_ptr<RangeSource> source, const DecodeLimits& limits = {});

  const Info& info() const noexcept;
  std::uint64_t rows() const noexcept { return info().rows; }
  std::size_t chunk_of(std::uint64_t row) const noexcept;  // of a row below rows()

  // Reads the rows of the ranges, in order, into each target. The target's dimension is the
  // column's; its row count is at least that of the ranges (else kOutputTooSmall).
  // kInvalidArgument: rows past the end. Memory after the rows read is not touched. After an error
  // the target rows are unspecified.
  Status try_read(std::span<const RowRange> ranges, std::span<const Target> targets,
                  const ReadConfig& config = {}, ReadReport* report = nullptr) const noexcept;
  // Reads single rows, in any order and with repeats; decodes only these. on_corruption must be
  // kRaise.
  Status try_gather(std::span<const std::uint64_t> rows, std::span<const Target> targets,
                    const ReadConfig& config = {}) const noexcept;

  // Values of column 0, or of another column.
  template <Value T = float>
  std::vector<T> read_all(const ReadConfig& config = {}, std::size_t column = 0) const {
    return read_rows<T>(0, rows(), config, column);
  }
  template <Value T = float>
  std::vector<T> read_rows(std::uint64_t first, std::uint64_t count, const ReadConfig& config = {},
                           std::size_t column = 0) const;
  template <Value T = float>
  std::vector<T> read_chunk(std::size_t chunk, const ReadConfig& config = {},
                            std::size_t column = 0) const;
  template <Value T = float>
  std::vector<T> gather(std::span<const std::uint64_t> rows, const ReadConfig& config = {},
                        std::size_t column = 0) const;

  // Rows of the sections whose metadata is an object with metadata[key] equal to the JSON value, in
  // file order. As in Python, 1, 1.0 and true are equal. kInvalidArgument: `value` is not JSON.
  Status try_find_sections(std::string_view key, std::string_view value,
                           std::vector<RowRange>& ranges) const noexcept;
  // The same for chunk metadata.
  Status try_find_chunks(std::string_view key, std::string_view value,
                         std::vector<std::size_t>& chunks) const noexcept;

  // Codes in place, as views into the file. kTypeMismatch: lossless or pco data. kInvalidArgument:
  // the file is not in memory.
  Status try_codes(std::size_t chunk, std::size_t column, Codes& codes,
                   const ReadConfig& config = {}) const noexcept;
  // Copies the codes of rows across chunks, all of one size, to rows `stride` bytes apart (0: no
  // gaps). `runs` describes their meaning.
  Status try_read_codes(const RowRange& rows, std::size_t column, std::span<std::byte> out,
                        std::size_t stride, std::vector<CodeRun>& runs,
                        const ReadConfig& config = {}) const noexcept;

  // The stored bytes of a column in a chunk, of any compression: in place, or fetched whole. The
  // checksum is compared only with config.verify.
  Status try_stored_slice(std::size_t chunk, std::size_t column, StoredSlice& stored,
                          const ReadConfig& config = {}) const noexcept;

  // The stored checksum of a chunk, for EncodedChunk::checksum; none in versions without checksums.
  // kInvalidArgument: the file is not in memory.
  Status try_checksum(std::size_t chunk, std::optional<std::uint32_t>& checksum) const noexcept;

  // Checks every chunk: checksum (if the version has one) and decodability. Problems of chunks go
  // to the report; the Status reports others: kCancelled, kOutOfMemory, kLimitExceeded (output
  // limits count all values of the file).
  Status try_verify(VerifyReport& report, const ReadConfig& config = {}) const noexcept;

 private:
  struct Impl;
  Reader() = default;
  Status check_sizes(std::uint64_t rows, std::size_t column, Dtype dtype,
                     const DecodeLimits& limits) const noexcept;
  std::shared_ptr<const Impl> impl_;
};

// Reading without the whole file: how many bytes from its start try_parse_header needs. If `needed`
// exceeds prefix.size(), call again with that many bytes, or with all there are. `file_bytes`: the
// size of the file, if known.
NUMPACT_API Status try_header_bytes(std::span<const std::byte> prefix, std::uint64_t& needed,
                                    std::optional<std::uint64_t> file_bytes = {}) noexcept;
// Parses the header from the start of a file; reads no record. If `file_bytes`, the size of the
// file, is known, records are checked to lie inside.
NUMPACT_API Status try_parse_header(std::span<const std::byte> prefix, Info& info,
                                    const DecodeLimits& limits = {},
                                    std::optional<std::uint64_t> file_bytes = {}) noexcept;
// Decodes one chunk from its record, including the record header; bytes after it are ignored. Only
// the limits and `verify` of the config apply. kInvalidArgument: kFill or kDrop.
NUMPACT_API Status try_decode_chunk(const Info& info, std::size_t chunk,
                                    std::span<const std::byte> record,
                                    std::span<const Target> targets,
                                    const ReadConfig& config = {}) noexcept;

// Decodes rows of a slice, counted within it, into the first rows of `out`.
NUMPACT_API Status try_decode_slice(const StoredSlice& slice, const RowRange& rows,
                                    const MutableRows& out) noexcept;

template <Value T>
std::vector<T> Reader::read_rows(std::uint64_t first, std::uint64_t count, const ReadConfig& config,
                                 std::size_t column) const {
  throw_if_error(check_sizes(count, column, kDtypeOf<T>, config.limits));
  const std::uint64_t dimension = info().columns[column].dimension;
  if (first > rows() || count > rows() - first) {
    numpact::detail::throw_error(
        Status(ErrorKind::kInvalidArgument, "rows past the end of the file"));
  }
  std::vector<T> out(static_cast<std::size_t>(count * dimension));
  const RowRange range{first, count};
  const Target target{MutableRows(kDtypeOf<T>, out.data(), count, dimension), column};
  ReadReport report;
  throw_if_error(try_read({&range, 1}, {&target, 1}, config, &report));
  out.resize(static_cast<std::size_t>(report.rows * dimension));
  return out;
}

template <Value T>
std::vector<T> Reader::read_chunk(std::size_t chunk, const ReadConfig& config,
                                  std::size_t column) const {
  if (chunk >= info().chunks.size()) {
    numpact::detail::throw_error(Status(ErrorKind::kInvalidArgument, "the file has no such chunk"));
  }
  const Chunk& found = info().chunks[chunk];
  return read_rows<T>(found.first_row, found.rows, config, column);
}

template <Value T>
std::vector<T> Reader::gather(std::span<const std::uint64_t> rows, const ReadConfig& config,
                              std::size_t column) const {
  throw_if_error(check_sizes(rows.size(), column, kDtypeOf<T>, config.limits));
  const std::uint64_t dimension = info().columns[column].dimension;
  std::vector<T> out(static_cast<std::size_t>(rows.size() * dimension));
  const Target target{MutableRows(kDtypeOf<T>, out.data(), rows.size(), dimension), column};
  throw_if_error(try_gather(rows, {&target, 1}, config));
  return out;
}

}  // namespace numpact::cvc

#endif
