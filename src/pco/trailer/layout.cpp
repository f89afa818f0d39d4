// SPDX-License-Identifier: Apache-2.0
#include "pco/trailer/layout.hpp"

#include <algorithm>
#include <cstring>

#include "base/append.hpp"
#include "base/crc.hpp"
#include "base/load.hpp"
#include "base/try.hpp"
#include "number/latent.hpp"
#include "pco/limits.hpp"

namespace numpact::internal::trailer {
namespace {

constexpr char kEndMagic[8] = {'p', 'c', 'o', 'T', 'r', 'a', 'i', 'l'};
constexpr std::size_t kEndMagicAt = 16;  // in the footer, in bytes

constexpr std::uint8_t kHasRestarts = 1;
constexpr std::uint8_t kKnownFlags = kHasRestarts;
constexpr std::uint8_t kNoType = 0;

Status corrupt(const char* what, std::uint64_t at) { return {ErrorKind::kCorrupt, what, at}; }

void append_text(std::vector<std::byte>& out, std::span<const char> text) {
  for (const char c : text) out.push_back(static_cast<std::byte>(c));
}

bool matches(const std::byte* at, std::span<const char> text) {
  return std::memcmp(at, text.data(), text.size()) == 0;
}

// Sets `type` to the type of a byte, none for kNoType. Returns false for an unknown byte.
bool parse_type(std::uint8_t byte, std::optional<NumberType>& type) {
  if (byte == kNoType) return true;
  if (!is_number_type(byte)) return false;
  type = static_cast<NumberType>(byte);
  return true;
}

Status parse_front(const std::byte* at, std::uint64_t offset, Front& front) {
  if (!matches(at, wire::kTrailerMagic))
    return corrupt("the trailer does not begin as one", offset);
  if (load_le<std::uint8_t>(at + 4) != kVersion) {
    return {ErrorKind::kUnsupportedVersion, "trailer version newer than 1", offset + 4};
  }
  const auto flags = load_le<std::uint8_t>(at + 6);
  const auto log = load_le<std::uint8_t>(at + 7);
  if (!parse_type(load_le<std::uint8_t>(at + 5), front.type)) {
    return corrupt("the trailer names an unknown number type", offset + 5);
  }
  if ((flags & ~kKnownFlags) != 0) return corrupt("unknown flags in the trailer", offset + 6);
  if ((flags & kHasRestarts) != 0) {
    if (log < kMinRestartLog || log > kMaxRestartLog) {
      return corrupt("restart points too near or too far apart", offset + 7);
    }
    front.restart_log = log;
  } else if (log != 0) {
    return corrupt("a distance of restart points without any", offset + 7);
  }
  front.header_bytes = load_le<std::uint16_t>(at + 8);
  front.format = {load_le<std::uint8_t>(at + 10), load_le<std::uint8_t>(at + 11)};
  if (!front.format.is_readable()) {
    return {ErrorKind::kUnsupportedVersion, "format version newer than 4", offset + 10};
  }
  front.header_crc = load_le<std::uint32_t>(at + 12);
  front.chunk_n = load_le<std::uint64_t>(at + 16);
  front.number_n = load_le<std::uint64_t>(at + 24);
  if (!front.type && front.chunk_n > 0) {
    return corrupt("chunks of no type in the trailer", offset + 5);
  }
  return {};
}

bool is_intact_footer(const std::byte* footer) {
  constexpr std::size_t kCheckedBytes = 12;
  return crc32({footer, kCheckedBytes}) == load_le<std::uint32_t>(footer + kCheckedBytes);
}

// Checks that chunks adjoin and fill the file, that counts add up, and that ranges fit the type.
Status check_records(const View& view, std::uint64_t offset) {
  const std::uint64_t largest = view.front.type ? largest_latent(latent_bits(*view.front.type)) : 0;
  const bool may_be_nan = view.front.type && kind_of(*view.front.type) == NumberKind::kFloat;
  std::uint64_t numbers = 0;
  std::uint64_t begin = view.front.header_bytes;
  for (std::uint64_t i = 0; i < view.front.chunk_n; ++i) {
    const ChunkRecord record = view.record(i);
    const std::uint64_t at = offset + i * kRecordBytes;
    if (record.offset != begin) return corrupt("chunks of the trailer do not adjoin", at);
    const std::uint64_t end = view.end_of(i);
    if (end >= view.file_bytes || end < begin || end - begin < record.page_at) {
      return corrupt("a chunk of the trailer does not fit in the file", at);
    }
    if (record.n == 0 || record.n > kMaxChunkN || record.nan_n > (may_be_nan ? record.n : 0)) {
      return corrupt("a count in the trailer is out of range", at);
    }
    const bool is_empty =
        record.min_latent == kEmptyRangeMin && record.max_latent == kEmptyRangeMax;
    if (is_empty != (record.nan_n == record.n)) {
      return corrupt("a range in the trailer contradicts its count of NaN", at);
    }
    if (!is_empty && (record.min_latent > record.max_latent || record.max_latent > largest)) {
      return corrupt("a range in the trailer is not one", at);
    }
    numbers += record.n;
    begin = end;
  }
  if (begin + 1 != view.file_bytes) {
    return corrupt("the chunks of the trailer do not fill the file", offset);
  }
  if (numbers != view.front.number_n) {
    return corrupt("counts in the trailer do not add up", offset);
  }
  return {};
}

Status check_points(const View& view, std::uint64_t offset) {
  PointsWalker walker(view);
  for (std::uint64_t i = 0; i < view.front.chunk_n; ++i) {
    ChunkPoints points;
    const Status status = walker.next(view.record(i).n, points);
    if (!status.ok()) return status.shifted(offset).at_chunk(i);
  }
  if (!walker.is_at_end()) return corrupt("bytes follow the restart points", offset);
  return {};
}

}  // namespace

std::uint32_t ChunkPoints::position(std::size_t point) const {
  return load_le<std::uint32_t>(bytes.data() + point * point_bytes());
}

std::span<const std::byte> ChunkPoints::state(std::size_t point) const {
  return bytes.subspan(point * point_bytes() + kPositionBytes, state_bytes);
}

Builder::Builder(std::span<const std::byte> header, FormatVersion format,
                 std::optional<unsigned> restart_log) {
  front_.restart_log = restart_log;
  front_.format = format;
  front_.header_bytes = static_cast<std::uint16_t>(header.size());
  front_.header_crc = crc32(header);
}

void Builder::add(NumberType type, const ChunkRecord& record, std::span<const std::byte> points) {
  front_.type = type;
  append_le(records_, record.offset);
  append_le(records_, record.n);
  append_le(records_, record.page_at);
  append_le(records_, record.crc);
  append_le(records_, record.nan_n);
  append_le(records_, record.min_latent);
  append_le(records_, record.max_latent);
  points_.insert(points_.end(), points.begin(), points.end());
  ++front_.chunk_n;
  front_.number_n += record.n;
}

std::vector<std::byte> Builder::finish(std::uint64_t file_bytes) const {
  std::vector<std::byte> bytes;
  bytes.reserve(kFrontBytes + records_.size() + points_.size() + kFooterBytes);
  append_text(bytes, wire::kTrailerMagic);
  append_le(bytes, static_cast<std::uint8_t>(kVersion));
  append_le(bytes, front_.type ? static_cast<std::uint8_t>(*front_.type) : kNoType);
  append_le(bytes, front_.restart_log ? kHasRestarts : std::uint8_t{0});
  append_le(bytes, static_cast<std::uint8_t>(front_.restart_log.value_or(0)));
  append_le(bytes, front_.header_bytes);
  append_le(bytes, static_cast<std::uint8_t>(front_.format.major));
  append_le(bytes, static_cast<std::uint8_t>(front_.format.minor));
  append_le(bytes, front_.header_crc);
  append_le(bytes, front_.chunk_n);
  append_le(bytes, front_.number_n);
  bytes.insert(bytes.end(), records_.begin(), records_.end());
  bytes.insert(bytes.end(), points_.begin(), points_.end());
  const std::uint32_t body_crc = crc32(bytes);
  const std::size_t footer = bytes.size();
  append_le(bytes, file_bytes);
  append_le(bytes, body_crc);
  append_le(bytes, crc32(std::span(bytes).subspan(footer)));
  append_text(bytes, kEndMagic);
  return bytes;
}

ChunkRecord View::record(std::uint64_t chunk) const {
  const std::byte* const at = records.data() + static_cast<std::size_t>(chunk) * kRecordBytes;
  ChunkRecord record;
  record.offset = load_le64(at);
  record.n = load_le<std::uint32_t>(at + 8);
  record.page_at = load_le<std::uint32_t>(at + 12);
  record.crc = load_le<std::uint32_t>(at + 16);
  record.nan_n = load_le<std::uint32_t>(at + 20);
  record.min_latent = load_le64(at + 24);
  record.max_latent = load_le64(at + 32);
  return record;
}

std::uint64_t View::end_of(std::uint64_t chunk) const {
  if (chunk + 1 == front.chunk_n) return file_bytes - 1;
  return load_le64(records.data() + static_cast<std::size_t>(chunk + 1) * kRecordBytes);
}

bool ends_with_trailer(std::span<const std::byte> bytes) {
  return bytes.data() != nullptr && bytes.size() >= kFooterBytes &&
         matches(bytes.data() + bytes.size() - kFooterBytes + kEndMagicAt, kEndMagic);
}

bool begins_with_trailer(std::span<const std::byte> bytes) {
  return matches(
      bytes.data(),
      std::span(wire::kTrailerMagic).first(std::min(bytes.size(), std::size(wire::kTrailerMagic))));
}

bool begins_unfinished(std::span<const std::byte> bytes) {
  const auto magic = std::span(wire::kTrailerMagic).subspan(1);
  return bytes.size() >= 2 && bytes[0] == std::byte{0} &&
         matches(bytes.data() + 1, magic.first(std::min(bytes.size() - 1, magic.size())));
}

Status parse(const Tail& tail, View& view) {
  view = {};
  const std::uint64_t footer_at = tail.file_size() - kFooterBytes;
  const std::byte* const footer = tail.bytes.data() + (tail.bytes.size() - kFooterBytes);
  if (!is_intact_footer(footer)) {
    return {ErrorKind::kChecksum, "the end of the trailer has another checksum", footer_at};
  }
  const std::uint64_t at = load_le64(footer);
  if (at == 0 || at > footer_at || footer_at - at < kFrontBytes) {
    return corrupt("the trailer does not fit at its stated position", footer_at);
  }
  view.file_bytes = at;
  view.bytes = tail.file_size() - at;
  if (at < tail.base) return {ErrorKind::kOutputTooSmall, "the trailer begins before", at};
  const std::span<const std::byte> body = tail.bytes.subspan(
      static_cast<std::size_t>(at - tail.base), static_cast<std::size_t>(footer_at - at));
  if (crc32(body) != load_le<std::uint32_t>(footer + 8)) {
    return {ErrorKind::kChecksum, "the trailer has another checksum", at};
  }
  NUMPACT_TRY(parse_front(body.data(), at, view.front));
  const std::span<const std::byte> rest = body.subspan(kFrontBytes);
  if (view.front.chunk_n > rest.size() / kRecordBytes) {
    return corrupt("the trailer is too short for its chunks", at);
  }
  const std::size_t records = static_cast<std::size_t>(view.front.chunk_n) * kRecordBytes;
  view.records = rest.first(records);
  view.points = rest.subspan(records);
  NUMPACT_TRY(check_records(view, at + kFrontBytes));
  return check_points(view, at + kFrontBytes + records);
}

bool ends_with_trailer_at(const Tail& tail, std::uint64_t file_bytes) {
  if (!ends_with_trailer(tail.bytes)) return false;
  const std::byte* const footer = tail.bytes.data() + (tail.bytes.size() - kFooterBytes);
  return is_intact_footer(footer) && load_le64(footer) == file_bytes;
}

Status parse_front_of(const Tail& rest, View& view) {
  view = {};
  const Status too_short(ErrorKind::kTruncated, "the trailer ends early", rest.file_size());
  if (rest.bytes.size() < kFrontBytes + kFooterBytes) return too_short;
  // Its size follows from its counts, which are checked with the rest.
  NUMPACT_TRY(parse_front(rest.bytes.data(), rest.base, view.front));
  const std::size_t left = rest.bytes.size() - kFrontBytes - kFooterBytes;
  if (view.front.chunk_n > left / kRecordBytes) return too_short;
  const std::size_t records = static_cast<std::size_t>(view.front.chunk_n) * kRecordBytes;
  view.records = rest.bytes.subspan(kFrontBytes, records);
  view.points = rest.bytes.subspan(kFrontBytes + records, left - records);
  PointsWalker walker(view);
  for (std::uint64_t i = 0; i < view.front.chunk_n; ++i) {
    ChunkPoints points;
    NUMPACT_TRY(walker.next(view.record(i).n, points));
  }
  const Tail whole{rest.bytes.first(rest.bytes.size() - walker.rest().size()), rest.base};
  if (!ends_with_trailer(whole.bytes)) return corrupt("the trailer does not end as one", rest.base);
  NUMPACT_TRY(parse(whole, view));
  if (view.file_bytes == rest.base) return {};
  return corrupt("the trailer does not fit at its stated position", rest.base);
}

Status PointsWalker::next(std::size_t n, ChunkPoints& points) {
  points = {};
  if (!log_) return {};
  const std::size_t count = point_count(n, *log_);
  if (count == 0) return {};
  if (left_.size() < kStateSizeBytes) return corrupt("the trailer lacks restart points", 0);
  points.state_bytes = load_le<std::uint16_t>(left_.data());
  left_ = left_.subspan(kStateSizeBytes);
  if (points.state_bytes == kNoPoints) return {};
  if (left_.size() / points.point_bytes() < count) {
    return corrupt("the trailer lacks restart points", 0);
  }
  points.bytes = left_.first(count * points.point_bytes());
  left_ = left_.subspan(points.bytes.size());
  for (std::size_t i = 1; i < count; ++i) {
    if (points.position(i) < points.position(i - 1)) {
      return corrupt("restart points out of order", 0);
    }
  }
  return {};
}

}  // namespace numpact::internal::trailer
