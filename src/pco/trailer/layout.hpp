// SPDX-License-Identifier: Apache-2.0
// Layout of a trailer in bytes: building and parsing (docs/format/trailer.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "numpact/error.hpp"
#include "numpact/types.hpp"
#include "pco/version.hpp"

namespace numpact::internal::trailer {

// Size of the fixed part at the start of a trailer.
inline constexpr std::size_t kFrontBytes = 32;
// The magic bytes at its start.
inline constexpr std::size_t kMagicBytes = 4;
// Size of the record of a chunk.
inline constexpr std::size_t kRecordBytes = 40;
// Size of the fixed part at the end of a trailer.
inline constexpr std::size_t kFooterBytes = 24;
// The position that precedes the state in a restart point.
inline constexpr std::size_t kPositionBytes = 4;
// The field before the restart points of each chunk: the size of a state in bytes.
inline constexpr std::size_t kStateSizeBytes = 2;

// Value of that field for a chunk without restart points.
inline constexpr std::uint16_t kNoPoints = 0xffff;

// The trailer version that is written, and the newest one that is read.
inline constexpr unsigned kVersion = 1;

// The empty range of ordered latents: its min_latent is above its max_latent.
inline constexpr std::uint64_t kEmptyRangeMin = ~std::uint64_t{0};
inline constexpr std::uint64_t kEmptyRangeMax = 0;

// The record of a chunk.
struct ChunkRecord {
  std::uint64_t offset = 0;   // in the file
  std::uint32_t n = 0;        // numbers, 1 to 2^24
  std::uint32_t page_at = 0;  // bytes from `offset` to its page
  std::uint32_t crc = 0;      // CRC-32 of its bytes
  std::uint32_t nan_n = 0;
  std::uint64_t min_latent = kEmptyRangeMin;  // ordered latents; NaN is left out
  std::uint64_t max_latent = kEmptyRangeMax;

  friend bool operator==(const ChunkRecord&, const ChunkRecord&) = default;
};

// The restart points of a chunk, contiguous: after 2^log, 2 * 2^log, ... numbers of its page.
struct ChunkPoints {
  std::size_t state_bytes = 0;
  std::span<const std::byte> bytes;

  std::size_t point_bytes() const { return kPositionBytes + state_bytes; }
  std::size_t count() const { return bytes.empty() ? 0 : bytes.size() / point_bytes(); }
  std::uint32_t position(std::size_t point) const;  // in bits from the page's first byte
  std::span<const std::byte> state(std::size_t point) const;
};

// Count of restart points of a chunk of n numbers that has any.
constexpr std::size_t point_count(std::size_t n, unsigned log) { return (n - 1) >> log; }

// The fixed part at the start of a trailer.
struct Front {
  std::optional<NumberType> type;
  std::optional<unsigned> restart_log;
  // Properties of the file:
  FormatVersion format;
  std::uint16_t header_bytes = 0;
  std::uint32_t header_crc = 0;
  std::uint64_t chunk_n = 0;
  std::uint64_t number_n = 0;
};

// Builds a trailer.
class Builder {
 public:
  // header: the bytes of the header of the file.
  Builder(std::span<const std::byte> header, FormatVersion format,
          std::optional<unsigned> restart_log);

  // Adds a chunk, in file order. `points`: its restart points in the layout of the trailer,
  // preceded by the size of their states; empty if the trailer has no restart points.
  void add(NumberType type, const ChunkRecord& record, std::span<const std::byte> points);
  void set_type(NumberType type) { front_.type = type; }
  const std::optional<unsigned>& restart_log() const { return front_.restart_log; }

  // file_bytes: the size of the file up to and including the terminator.
  // Bytes allocated by finish(); and, with twice what is added, at most by add().
  std::uint64_t next_bytes() const {
    return 2 * (records_.size() + points_.size()) + kFrontBytes + kFooterBytes;
  }
  std::vector<std::byte> finish(std::uint64_t file_bytes) const;

 private:
  Front front_;
  std::vector<std::byte> records_;
  std::vector<std::byte> points_;
};

// A parsed trailer. Its checksums are correct and its records are consistent with each other.
// Whether they match the file is checked when that is read. Points into the parsed bytes.
struct View {
  Front front;
  std::uint64_t file_bytes = 0;
  std::uint64_t bytes = 0;  // size of the trailer
  std::span<const std::byte> records;
  std::span<const std::byte> points;  // of all chunks

  ChunkRecord record(std::uint64_t chunk) const;
  // The file offset of the end of a chunk.
  std::uint64_t end_of(std::uint64_t chunk) const;
};

// Whether the bytes end like a trailer: with its footer magic.
bool ends_with_trailer(std::span<const std::byte> bytes);
// Whether the bytes start with the magic of a trailer, or are a prefix of it.
bool begins_with_trailer(std::span<const std::byte> bytes);
// Whether they start like a trailer whose first byte was not written yet, which is its writer's
// last write: 0 and the rest of the magic, or a prefix of these of at least two bytes.
bool begins_unfinished(std::span<const std::byte> bytes);

// The end of a file.
struct Tail {
  std::span<const std::byte> bytes;
  std::uint64_t base = 0;  // file offset of `bytes`

  std::uint64_t file_size() const { return base + bytes.size(); }
};

// Parses the trailer at the end of `tail`, for which ends_with_trailer() holds. Errors: kChecksum,
// kCorrupt, kUnsupportedVersion, with file offsets; kOutputTooSmall if the tail begins behind the
// start of the trailer, which is then view.file_bytes.
Status parse(const Tail& tail, View& view);

// Parses the trailer at the start of `rest`, which may be followed by other bytes: those after the
// end of a file at `rest.base`. Errors: as of parse(), kTruncated.
Status parse_front_of(const Tail& rest, View& view);
// Whether the bytes end with an intact footer of a trailer that begins at `file_bytes`.
bool ends_with_trailer_at(const Tail& tail, std::uint64_t file_bytes);

// Iterates over the restart points of all chunks. parse() has checked that they fit their bytes.
class PointsWalker {
 public:
  explicit PointsWalker(const View& view) : left_(view.points), log_(view.front.restart_log) {}
  // Sets `points` to those of the next chunk, which has n numbers. kCorrupt if they do not fit.
  Status next(std::size_t n, ChunkPoints& points);
  bool is_at_end() const { return left_.empty(); }
  // The points of the chunks that follow.
  std::span<const std::byte> rest() const { return left_; }

 private:
  std::span<const std::byte> left_;
  std::optional<unsigned> log_;
};

}  // namespace numpact::internal::trailer
