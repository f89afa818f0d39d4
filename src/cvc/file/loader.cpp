// SPDX-License-Identifier: Apache-2.0
#include "cvc/file/loader.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/try.hpp"
#include "cvc/codec/codecs.hpp"
#include "cvc/header/frame.hpp"
#include "cvc/header/parse.hpp"

namespace numpact::cvc {
namespace {

constexpr std::size_t kFirstRead = std::size_t{1} << 16;  // holds most headers

static_assert(kUnknownSize == RangeSource::kUnknownSize);

// A stretch of the file that a column needs.
struct Stretch {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::size_t window = 0;  // whose it is
};

Stretch stretch_of(const Info& info, std::size_t chunk, const RowRange& rows, std::size_t column,
                   Window& window) {
  const Chunk& entry = info.chunks[chunk];
  const Slice& slice = info.slice(chunk, column);
  const std::uint64_t start = entry.offset + info.record_head_bytes() + slice.offset;
  const std::optional<std::uint64_t> row_bytes = lone_row_bytes(info, chunk, column);
  window.rows = row_bytes ? rows : RowRange{0, entry.rows};
  window.offset = start + (row_bytes ? rows.first * *row_bytes : 0);
  return {window.offset, row_bytes ? rows.count * *row_bytes : slice.size, 0};
}

}  // namespace

std::span<std::byte> Buffer::get(std::size_t bytes) {
  if (bytes > capacity_) {
    data_.reset();
    capacity_ = 0;
    data_.reset(new std::byte[bytes]);  // not set to anything
    capacity_ = bytes;
  }
  return {data_.get(), bytes};
}

std::optional<std::uint64_t> lone_row_bytes(const Info& info, std::size_t chunk,
                                            std::size_t column) {
  const Compression compression = info.slice(chunk, column).compression;
  const Column& schema = info.columns[column];
  const bool is_by_value = compression == Compression::kFp16 || compression == Compression::kInt8 ||
                           compression == Compression::kNone;
  if (!is_by_value) return std::nullopt;
  return codec_of(compression).size(schema.dimension, schema.dtype);
}

Status Loader::read_some(std::uint64_t offset, std::span<std::byte> out, std::size_t& got) const {
  got = 0;
  while (got < out.size()) {
    std::size_t more = 0;
    Status status;
    try {
      status = source_.read_at(offset + got, out.subspan(got), more);
    } catch (const std::bad_alloc&) {
      return Status(ErrorKind::kOutOfMemory, "out of memory");
    } catch (...) {
      status = Status(ErrorKind::kIo, "the source failed");
    }
    if (!status.ok()) {
      const bool is_placed = status.offset() != Status::kNoOffset;
      return is_placed ? status : Status(status.kind(), status.what(), offset + got);
    }
    if (more > out.size() - got) {
      return Status(ErrorKind::kIo, "the source gave more bytes than it was asked for",
                    offset + got);
    }
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
  std::uint64_t wanted = std::min<std::uint64_t>(kFirstRead, size_);
  while (bytes.size() < wanted) {
    const std::size_t before = bytes.size();
    bytes.resize(static_cast<std::size_t>(wanted));
    std::size_t got = 0;
    NUMPACT_TRY(read_some(before, std::span(bytes).subspan(before), got));
    if (before + got < wanted) {
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
      return Status(ErrorKind::kLimitExceeded, "the header passes DecodeLimits::max_memory");
    }
    wanted = std::min({needed, 2 * std::uint64_t{bytes.size()}, file_bytes});
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
      std::uint32_t found = 0;
      std::memcpy(&found, bytes, sizeof found);
      length = found;
    }
    if (length > size_ - chunk.offset - head) {
      return Status(ErrorKind::kTruncated, "the file ends within a chunk", chunk.offset);
    }
    end = chunk.offset + head + length;
    return {};
  };
  NUMPACT_TRY(numpact::cvc::place_records(info, length_of));
  if (size_ != kUnknownSize || end == 0) return {};
  // Memory will be taken for what the header says; see that it is there.
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
  const std::span<std::byte> all = buffer.get(static_cast<std::size_t>(bytes));
  record = all;
  const Status status = read(entry.offset, all);
  return status.ok() ? status : status.at_chunk(chunk);
}

Status Loader::read_rows(const Info& info, std::size_t chunk, const RowRange& rows,
                         std::span<const std::size_t> columns, Buffer& buffer,
                         std::vector<Window>& windows) const {
  windows.assign(columns.size(), {});
  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    stretches.push_back(stretch_of(info, chunk, rows, columns[i], windows[i]));
    stretches.back().window = i;
  }
  std::sort(stretches.begin(), stretches.end(),
            [](const Stretch& a, const Stretch& b) { return a.offset < b.offset; });
  // Runs of stretches that are near each other are read together.
  std::vector<Stretch> reads;
  std::uint64_t total = 0;
  for (const Stretch& one : stretches) {
    const std::uint64_t end = one.offset + one.bytes;
    if (reads.empty() || one.offset > reads.back().offset + reads.back().bytes + kNearBytes) {
      reads.push_back({one.offset, 0, 0});
    }
    Stretch& last = reads.back();
    const std::uint64_t grown = std::max(last.bytes, end - last.offset);
    total += grown - last.bytes;
    last.bytes = grown;
  }
  std::span<std::byte> rest = buffer.get(static_cast<std::size_t>(total));
  auto one = stretches.begin();
  for (const Stretch& each : reads) {
    const auto place = rest.first(static_cast<std::size_t>(each.bytes));
    const Status status = read(each.offset, place);
    if (!status.ok()) return status.at_chunk(chunk);
    for (; one != stretches.end() && one->offset - each.offset <= each.bytes; ++one) {
      windows[one->window].bytes =
          place.subspan(static_cast<std::size_t>(one->offset - each.offset),
                        static_cast<std::size_t>(one->bytes));
    }
    rest = rest.subspan(place.size());
  }
  return {};
}

}  // namespace numpact::cvc
