// SPDX-License-Identifier: Apache-2.0
// Reading CVC files of every version.
//
// The throwing functions throw Error; the try_ functions are noexcept and give a Status. Errors of
// what the bytes hold: kCorrupt, kTruncated, kChecksum, kUnsupportedVersion (also an unknown
// compression). Their text names the field of the header; offset() is its place, or that of the
// payload, in the file; chunk() the chunk.
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

// Reads rows of a file in memory, or of one that only ranges of bytes are fetched of. Immutable,
// cheap to copy; any number of threads may use one.
class NUMPACT_API Reader {
 public:
  // The bytes must outlive the reader and its copies. Reads the header and the lengths of all
  // records. Bytes behind the last chunk are ignored.
  static Result<Reader> create(std::span<const std::byte> file,
                               const DecodeLimits& limits = {}) noexcept;
  // The same of a file on disk, which is mapped (see MappedFile) for as long as a copy lives.
  static Result<Reader> open(const std::string& path, const DecodeLimits& limits = {}) noexcept;

  // Of a file that stays where it is. The header is read in steps, and the length of a record only
  // where the header does not tell it. Reading rows takes, besides its output, memory for one chunk
  // for each task. Chunks are fetched whole where their checksum is looked at or lossless data is
  // in the way; otherwise just the bytes of the rows and columns asked for, and what is between
  // them if that is less than 64 KiB. Errors of the source keep their kind and text; offset() is
  // where reading stopped, chunk() the chunk. kTruncated where the file ends too early.
  static Result<Reader> create(std::shared_ptr<RangeSource> source,
                               const DecodeLimits& limits = {}) noexcept;

  // Throw Error; that of a path names it.
  explicit Reader(std::span<const std::byte> file, const DecodeLimits& limits = {});
  explicit Reader(const std::string& path, const DecodeLimits& limits = {});
  explicit Reader(std::shared_ptr<RangeSource> source, const DecodeLimits& limits = {});

  const Info& info() const noexcept;
  std::uint64_t rows() const noexcept { return info().rows; }
  std::size_t chunk_of(std::uint64_t row) const noexcept;  // of a row below rows()

  // Rows of the ranges, one after the other, into each target, whose row count is at least theirs
  // (else kOutputTooSmall) and whose dimension is the column's. kInvalidArgument for rows past the
  // end. Memory behind the rows read is not touched. What the rest holds after an error is
  // unspecified.
  Status try_read(std::span<const RowRange> ranges, std::span<const Target> targets,
                  const ReadConfig& config = {}, ReadReport* report = nullptr) const noexcept;
  // The given rows, in any order and as often as asked for: only they are decoded.
  // on_corruption: kRaise only.
  Status try_gather(std::span<const std::uint64_t> rows, std::span<const Target> targets,
                    const ReadConfig& config = {}) const noexcept;

  // Of column 0, or of another.
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
  // file order. As in Python 1, 1.0 and true are equal. kInvalidArgument if `value` is no JSON.
  Status try_find_sections(std::string_view key, std::string_view value,
                           std::vector<RowRange>& ranges) const noexcept;
  // Chunks whose metadata is such an object.
  Status try_find_chunks(std::string_view key, std::string_view value,
                         std::vector<std::size_t>& chunks) const noexcept;

  // In place: the bytes are those of the file. kTypeMismatch for lossless data, kInvalidArgument
  // where the file is not in memory.
  Status try_codes(std::size_t chunk, std::size_t column, Codes& codes,
                   const ReadConfig& config = {}) const noexcept;
  // Copies codes of rows across chunks, all of one size, to rows that are `stride` bytes apart
  // (0: no gaps). `runs` says what they mean.
  Status try_read_codes(const RowRange& rows, std::size_t column, std::span<std::byte> out,
                        std::size_t stride, std::vector<CodeRun>& runs,
                        const ReadConfig& config = {}) const noexcept;

  // The bytes of a chunk's column, of any compression: in place, or fetched as a whole. The
  // checksum is compared with config.verify only.
  Status try_stored_slice(std::size_t chunk, std::size_t column, StoredSlice& stored,
                          const ReadConfig& config = {}) const noexcept;

  // What is stored in front of a chunk's payload, for EncodedChunk::checksum; none in versions
  // without checksums. kInvalidArgument where the file is not in memory.
  Status try_checksum(std::size_t chunk, std::optional<std::uint32_t>& checksum) const noexcept;

  // Reads every chunk: checksums, and that its bytes can be decoded. Problems of chunks go to the
  // report; the Status tells of others (kCancelled, kOutOfMemory, kLimitExceeded: the limits on
  // output count all values of the file). Versions without checksums are only checked for what can
  // be decoded.
  Status try_verify(VerifyReport& report, const ReadConfig& config = {}) const noexcept;

 private:
  struct Impl;
  Reader() = default;
  Status check_sizes(std::uint64_t rows, std::size_t column, Dtype dtype,
                     const DecodeLimits& limits) const noexcept;
  std::shared_ptr<const Impl> impl_;
};

// Without the whole file. How many bytes from its start try_parse_header needs, given those that
// are there: where `needed` comes out larger than prefix.size(), ask again with that many, or with
// all there are. `file_bytes`: the size of the file, if known.
NUMPACT_API Status try_header_bytes(std::span<const std::byte> prefix, std::uint64_t& needed,
                                    std::optional<std::uint64_t> file_bytes = {}) noexcept;
// What the start of a file says; no record is looked at. `file_bytes`: the size of the file, if
// known; records are then checked to lie inside.
NUMPACT_API Status try_parse_header(std::span<const std::byte> prefix, Info& info,
                                    const DecodeLimits& limits = {},
                                    std::optional<std::uint64_t> file_bytes = {}) noexcept;
// Decodes one chunk from the bytes of its record, its head included; bytes behind it are ignored.
// Of the config only the limits and the checksum's treatment are used: kFill and kDrop are
// kInvalidArgument.
NUMPACT_API Status try_decode_chunk(const Info& info, std::size_t chunk,
                                    std::span<const std::byte> record,
                                    std::span<const Target> targets,
                                    const ReadConfig& config = {}) noexcept;

// Rows of a slice, counted within it, to the first rows of `out`.
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
