// SPDX-License-Identifier: Apache-2.0
#include "cvc/file/records.hpp"

#include <algorithm>
#include <iterator>

#include "base/internal.hpp"
#include "base/load.hpp"
#include "base/try.hpp"

namespace numpact::cvc::internal {

std::span<const std::byte> Records::bytes_of(std::size_t chunk) const {
  if (files_.empty()) return bytes_;
  const auto after = std::upper_bound(
      files_.begin(), files_.end(), chunk,
      [](std::size_t wanted, const JoinedFile& file) { return wanted < file.first_chunk; });
  return std::prev(after)->bytes;
}

Status Records::open(std::size_t chunk, Record& record) const {
  if (window_ != nullptr) {
    record = {window_->bytes, 0, window_->offset};
    return {};
  }
  const Chunk& entry = info_.chunks[chunk];
  const std::span<const std::byte> bytes = bytes_of(chunk);
  const std::size_t head = info_.record_head_bytes();
  const bool is_single = only_ != kAll;
  const std::uint64_t at = is_single ? 0 : entry.offset;
  const std::uint64_t offset = entry.offset == Chunk::kUnknown ? 0 : entry.offset;
  if (at > bytes.size() || bytes.size() - at < head) {
    return Status(ErrorKind::kTruncated, "the bytes end within a chunk's head", offset)
        .at_chunk(chunk);
  }
  const std::byte* const start = bytes.data() + at;
  const std::uint64_t length = load_le<std::uint32_t>(start);
  if (entry.payload_bytes != Chunk::kUnknown && length != entry.payload_bytes) {
    return Status(ErrorKind::kCorrupt,
                  "the chunk's length is not what its rows, dimension and compression need", offset)
        .at_chunk(chunk);
  }
  if (length > bytes.size() - at - head) {
    return Status(ErrorKind::kTruncated, "the bytes end within a chunk's payload", offset)
        .at_chunk(chunk);
  }
  record.payload = {start + head, static_cast<std::size_t>(length)};
  record.crc = info_.has_checksums() ? load_le<std::uint32_t>(start + 4) : 0;
  record.offset = offset + head;
  return {};
}

Encoded Records::encoded(std::size_t chunk, std::size_t column, const Record& record) const {
  const Slice& slice = info_.slice(chunk, column);
  const Column& schema = info_.columns[column];
  Encoded encoded;
  encoded.compression = slice.compression;
  encoded.dtype = schema.dtype;
  encoded.min = static_cast<float>(slice.min);
  encoded.scale = static_cast<float>(slice.scale);
  if (window_ != nullptr) {
    encoded.bytes = window_->bytes;
    encoded.shape = {window_->rows.count, schema.dimension};
    encoded.offset = window_->offset;
    return encoded;
  }
  // A slice of unknown size extends to the end of the payload; others were checked to be inside.
  const auto offset = static_cast<std::size_t>(slice.offset);
  encoded.bytes = record.payload.subspan(offset);
  if (slice.size < encoded.bytes.size()) {
    encoded.bytes = encoded.bytes.first(static_cast<std::size_t>(slice.size));
  }
  encoded.shape = {info_.chunks[chunk].rows, schema.dimension};
  encoded.offset = record.offset + slice.offset;
  return encoded;
}

Status place_records(Info& info, const LengthOf& length_of) {
  const std::uint64_t head = info.record_head_bytes();
  std::uint64_t cursor = info.header_bytes;
  for (std::size_t i = 0; i < info.chunks.size(); ++i) {
    Chunk& chunk = info.chunks[i];
    if (chunk.offset == Chunk::kUnknown) chunk.offset = cursor;
    if (chunk.offset < cursor) {
      return Status(ErrorKind::kCorrupt, "header: `file_offset` is inside the chunk before",
                    chunk.offset)
          .at_chunk(i);
    }
    std::uint64_t length = 0;
    const Status status = length_of(i, length);
    if (!status.ok()) return status.at_chunk(i);
    if (chunk.payload_bytes == Chunk::kUnknown) {
      chunk.payload_bytes = length;
      info.slices[i].size = chunk.payload_bytes;  // only files of one array lack sizes
    }
    cursor = chunk.offset + head + chunk.payload_bytes;
  }
  return {};
}

Status find_records(std::span<const std::byte> file, Info& info) {
  const Records records(info, file);
  return place_records(info, [&](std::size_t chunk, std::uint64_t& length) {
    Record record;
    const Status status = records.open(chunk, record);
    length = record.payload.size();
    return status;
  });
}

}  // namespace numpact::cvc::internal
