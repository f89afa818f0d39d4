// SPDX-License-Identifier: Apache-2.0
#include "cvc/file/loader.hpp"

#include <algorithm>
#include <new>

#include "base/internal.hpp"
#include "base/load.hpp"
#include "base/size.hpp"
#include "base/try.hpp"
#include "cvc/compression/codecs.hpp"
#include "cvc/header/frame.hpp"
#include "cvc/header/parse.hpp"

namespace numpact::cvc::internal {
namespace {

// Size of the first read of a file: most headers fit, so that one request suffices.
constexpr std::size_t kFirstReadBytes = std::size_t{1} << 16;

static_assert(kUnknownSize == RangeSource::kUnknownSize);

// Bytes [offset, offset + bytes) of the file, and their position in the buffer.
struct FileRange {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t position = 0;
};

// The ranges of a chunk that one column needs. Placed one after the other in the buffer they are an
// encoding of the requested rows.
struct ColumnRequest {
  std::size_t window = 0;  // index of the column's window
  std::vector<FileRange> ranges_in_file;
  std::uint64_t bytes = 0;

  void add(std::uint64_t offset, std::uint64_t n) {
    if (n > 0 || ranges_in_file.empty()) ranges_in_file.push_back({offset, n, 0});
    bytes += n;
  }
};

// Codes are stored row by row, followed by minima and then scales. Of a slice with separable rows
// only the codes of the requested rows and their minima and scales are read.
ColumnRequest request_of(const Info& info, std::size_t chunk, const RowRange& rows,
                         std::size_t column, Window& window) {
  const Chunk& entry = info.chunks[chunk];
  const Slice& slice = info.slice(chunk, column);
  const Codec& codec = codec_of(slice.compression);
  const std::uint64_t start = entry.offset + info.record_head_bytes() + slice.offset;
  const std::optional<std::uint64_t> row_bytes = separable_row_bytes(info, chunk, column);
  ColumnRequest request;
  window.rows = row_bytes ? rows : RowRange{0, entry.rows};
  if (!row_bytes || window.rows.count == entry.rows) {
    window.offset = start;
    request.add(start, slice.size);
    return request;
  }
  window.offset = start + rows.first * *row_bytes;
  request.add(window.offset, rows.count * *row_bytes);
  const std::uint64_t ranges = start + entry.rows * *row_bytes;
  if (codec.ranges == RangeScope::kRow) {
    request.add(ranges + 4 * rows.first, 4 * rows.count);
    request.add(ranges + 4 * (entry.rows + rows.first), 4 * rows.count);
  } else if (codec.ranges == RangeScope::kDimension) {
    request.add(ranges, 8 * info.columns[column].dimension);
  } else if (codec.ranges == RangeScope::kRotation) {
    request.add(ranges, start + slice.size - ranges);
  }
  return request;
}

// Assigns buffer positions and returns the reads. The first ranges of two columns that are near
// each other in the file share a read, including the bytes between them. The other ranges of a
// column must follow the one before without a gap.
std::vector<FileRange> place_ranges(std::vector<ColumnRequest>& all) {
  std::sort(all.begin(), all.end(), [](const ColumnRequest& a, const ColumnRequest& b) {
    return a.ranges_in_file[0].offset < b.ranges_in_file[0].offset;
  });
  std::vector<FileRange> reads;
  for (ColumnRequest& request : all) {
    for (std::size_t i = 0; i < request.ranges_in_file.size(); ++i) {
      FileRange& one = request.ranges_in_file[i];
      const std::uint64_t max_gap = i == 0 ? kMaxGapBytes : 0;
      const std::uint64_t end = reads.empty() ? 0 : reads.back().offset + reads.back().bytes;
      if (reads.empty() || one.offset < end || one.offset - end > max_gap) {
        reads.push_back(
            {one.offset, 0, reads.empty() ? 0 : reads.back().position + reads.back().bytes});
      }
      FileRange& read = reads.back();
      one.position = read.position + (one.offset - read.offset);
      read.bytes = one.offset + one.bytes - read.offset;
    }
  }
  return reads;
}

}  // namespace

std::span<std::byte> Buffer::get(std::size_t bytes) {
  if (bytes > capacity_) {
    data_.reset();
    capacity_ = 0;
    data_.reset(new std::byte[bytes]);  // uninitialised
    capacity_ = bytes;
  }
  return {data_.get(), bytes};
}

std::optional<std::uint64_t> separable_row_bytes(const Info& info, std::size_t chunk,
                                                 std::size_t column) {
  const Compression compression = info.slice(chunk, column).compression;
  const Column& schema = info.columns[column];
  const Codec& codec = codec_of(compression);
  if (codec.code_bytes == nullptr) return std::nullopt;
  return codec.code_bytes(schema.dimension, schema.dtype);
}

Status Loader::read_once(std::uint64_t offset, std::span<std::byte> out, std::size_t& got) const {
  Status status;
#ifdef NUMPACT_NO_EXCEPTIONS
  status = source_.read_at(offset, out).into(got);
#else
  try {
    status = source_.read_at(offset, out).into(got);
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (...) {
    status = Status(ErrorKind::kIo, "the source failed");
  }
#endif
  if (!status.ok()) {
    if (status.offset() != Status::kNoOffset) return status;
    return Status(status.kind(), status.what(), offset).because_of(status.system_error());
  }
  if (got <= out.size()) return {};
  return Status(ErrorKind::kIo, "the source gave more bytes than it was asked for", offset);
}

Status Loader::read_some(std::uint64_t offset, std::span<std::byte> out, std::size_t& got) const {
  got = 0;
  while (got < out.size()) {
    std::size_t more = 0;
    NUMPACT_TRY(read_once(offset + got, out.subspan(got), more));
    if (more == 0) return {};
    got += more;
  }
  return {};
}

Status Loader::read(std::uint64_t offset, std::span<std::byte> out) const {
  std::size_t got = 0;
  NUMPACT_TRY(read_some(offset, out, got));
  if (got == out.size()) return {};
  return Status(ErrorKind::kTruncated, "the file ends before all of its bytes were read",
                offset + got);
}

Status Loader::read_header(const DecodeLimits& limits, Info& info) const {
  std::vector<std::byte> bytes;
  std::uint64_t file_bytes = size_;
  std::uint64_t target_bytes = std::min<std::uint64_t>(kFirstReadBytes, size_);
  while (bytes.size() < target_bytes) {
    const std::size_t before = bytes.size();
    NUMPACT_TRY(ensure_memory(2 * target_bytes));
    bytes.resize(to_size(target_bytes));
    std::size_t got = 0;
    // A source may give the header alone of what is asked for, and take long for more.
    const std::span<std::byte> rest = std::span(bytes).subspan(before);
    NUMPACT_TRY(size_ == kUnknownSize ? read_some(before, rest, got)
                                      : read_once(before, rest, got));
    if (size_ != kUnknownSize && got > 0) {
      bytes.resize(before + got);
    } else if (before + got < target_bytes) {
      if (size_ != kUnknownSize) {
        return Status(ErrorKind::kTruncated, "the file ends before all of its bytes were read",
                      before + got);
      }
      file_bytes = before + got;
      bytes.resize(before + got);
    }
    Frame frame;
    std::uint64_t needed = 0;
    NUMPACT_TRY(find_header(bytes, file_bytes, frame, needed));
    if (needed > limits.max_memory && needed - limits.max_memory > frame.json_at) {
      return Status(ErrorKind::kLimitExceeded, "the header passes the limit max_memory");
    }
    target_bytes = std::min({needed, 2 * std::uint64_t{bytes.size()}, file_bytes});
  }
  return parse_header(bytes, file_bytes, limits, info);
}

Status Loader::place_records(Info& info) const {
  std::uint64_t end = 0;
  const auto length_of = [&](std::size_t i, std::uint64_t& length) -> Status {
    const Chunk& chunk = info.chunks[i];
    const std::uint64_t head = info.record_head_bytes();
    if (chunk.offset > size_ || size_ - chunk.offset < head) {
      return Status(ErrorKind::kTruncated, "the file ends within a chunk's head", chunk.offset);
    }
    length = chunk.payload_bytes;
    if (length == Chunk::kUnknown) {
      std::byte bytes[4];
      NUMPACT_TRY(read(chunk.offset, bytes));
      length = load_le<std::uint32_t>(bytes);
    }
    if (length > size_ - chunk.offset - head) {
      return Status(ErrorKind::kTruncated, "the file ends within a chunk", chunk.offset);
    }
    end = chunk.offset + head + length;
    return {};
  };
  NUMPACT_TRY(numpact::cvc::place_records(info, length_of));
  if (size_ != kUnknownSize || end == 0) return {};
  // The size of the source is unknown, and the header's sizes will be trusted for allocations:
  // check that the last byte exists.
  std::byte last[1];
  return read(end - 1, last);
}

Status Loader::read_info(const DecodeLimits& limits, Info& info) const {
  NUMPACT_TRY(read_header(limits, info));
  return place_records(info);
}

Status Loader::read_record(const Info& info, std::size_t chunk, Buffer& buffer,
                           std::span<const std::byte>& record) const {
  const Chunk& entry = info.chunks[chunk];
  const std::uint64_t bytes = info.record_head_bytes() + entry.payload_bytes;
  NUMPACT_TRY(ensure_memory(bytes));
  const std::span<std::byte> all = buffer.get(to_size(bytes));
  record = all;
  const Status status = read(entry.offset, all);
  return status.ok() ? status : status.at_chunk(chunk);
}

Status Loader::read_rows(const Info& info, std::size_t chunk, const RowRange& rows,
                         std::span<const std::size_t> columns, Buffer& buffer,
                         std::vector<Window>& windows) const {
  windows.assign(columns.size(), {});
  std::vector<ColumnRequest> all;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    all.push_back(request_of(info, chunk, rows, columns[i], windows[i]));
    all.back().window = i;
  }
  const std::vector<FileRange> reads = place_ranges(all);
  const std::uint64_t total = reads.empty() ? 0 : reads.back().position + reads.back().bytes;
  NUMPACT_TRY(ensure_memory(total));
  const std::span<std::byte> position = buffer.get(to_size(total));
  for (const FileRange& each : reads) {
    const Status status =
        read(each.offset, position.subspan(to_size(each.position), to_size(each.bytes)));
    if (!status.ok()) return status.at_chunk(chunk);
  }
  for (const ColumnRequest& request : all) {
    windows[request.window].bytes =
        position.subspan(to_size(request.ranges_in_file[0].position), to_size(request.bytes));
  }
  return {};
}

}  // namespace numpact::cvc::internal
