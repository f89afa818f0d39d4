// SPDX-License-Identifier: Apache-2.0
// The bytes of a trailer (docs/format/trailer.md).
#ifndef NUMPACT_PCO_TRAILER_LAYOUT_HPP
#define NUMPACT_PCO_TRAILER_LAYOUT_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "numpact/error.hpp"
#include "numpact/types.hpp"
#include "pco/version.hpp"

namespace numpact::trailer {

inline constexpr std::size_t kFrontBytes = 32;
// Of these, what tells that they are one.
inline constexpr std::size_t kMagicBytes = 4;
inline constexpr std::size_t kRecordBytes = 40;
inline constexpr std::size_t kFooterBytes = 24;
// Of a restart point, before the state it holds.
inline constexpr std::size_t kPositionBytes = 4;
// In front of each chunk's restart points: bytes of the state in each.
inline constexpr std::size_t kStateSizeBytes = 2;

// That size where a chunk has no restart points.
inline constexpr std::uint16_t kNoPoints = 0xffff;

inline constexpr unsigned kVersion = 1;

// The range of no numbers: from the largest to the smallest.
inline constexpr std::uint64_t kNoLeast = ~std::uint64_t{0};
inline constexpr std::uint64_t kNoGreatest = 0;

// What is known of a chunk.
struct ChunkRecord {
  std::uint64_t offset = 0;   // in the file
  std::uint32_t n = 0;        // numbers, 1 to 2^24
  std::uint32_t page_at = 0;  // bytes from the offset to its page
  std::uint32_t crc = 0;      // of its bytes
  std::uint32_t nan_n = 0;
  std::uint64_t least = kNoLeast;  // ordered latents; NaN is left out
  std::uint64_t greatest = kNoGreatest;

  friend bool operator==(const ChunkRecord&, const ChunkRecord&) = default;
};

// The restart points of a chunk, one behind the other: 2^log, 2 * 2^log, ... numbers into its page.
struct ChunkPoints {
  std::size_t state_bytes = 0;
  std::span<const std::byte> bytes;

  std::size_t point_bytes() const { return kPositionBytes + state_bytes; }
  std::size_t count() const { return bytes.empty() ? 0 : bytes.size() / point_bytes(); }
  std::uint32_t position(std::size_t point) const;  // in bits from the page's first byte
  std::span<const std::byte> state(std::size_t point) const;
};

// How many a chunk of n numbers has, unless it has none.
constexpr std::size_t point_count(std::size_t n, unsigned log) { return (n - 1) >> log; }

struct Front {
  std::optional<NumberType> type;
  std::optional<unsigned> restart_log;
  // Of the file:
  FormatVersion format;
  std::uint16_t header_bytes = 0;
  std::uint32_t header_crc = 0;
  std::uint64_t chunk_n = 0;
  std::uint64_t number_n = 0;
};

// Puts a trailer together.
class Builder {
 public:
  // header: the bytes of the file's.
  Builder(std::span<const std::byte> header, FormatVersion format,
          std::optional<unsigned> restart_log);

  // In file order. `points` as they will lie in the trailer, with the size of their states in
  // front; empty without restart points.
  void add(NumberType type, const ChunkRecord& record, std::span<const std::byte> points);
  void set_type(NumberType type) { front_.type = type; }
  const std::optional<unsigned>& restart_log() const { return front_.restart_log; }

  // file_bytes: up to the terminator and with it.
  std::vector<std::byte> finish(std::uint64_t file_bytes) const;

 private:
  Front front_;
  std::vector<std::byte> records_;
  std::vector<std::byte> points_;
};

// A trailer whose checksums are right and whose records do not contradict each other. Whether they
// are of the file is to be checked when that is read. Points into the bytes it was parsed from.
struct View {
  Front front;
  std::uint64_t file_bytes = 0;
  std::uint64_t bytes = 0;  // of the trailer
  std::span<const std::byte> records;
  std::span<const std::byte> points;  // of all chunks

  ChunkRecord record(std::uint64_t chunk) const;
  // Where a chunk ends.
  std::uint64_t end_of(std::uint64_t chunk) const;
};

// Whether the bytes end with what ends a trailer.
bool ends_with_trailer(std::span<const std::byte> bytes);
// Whether they begin with what begins one, as far as they go.
bool begins_with_trailer(std::span<const std::byte> bytes);

// The end of a file.
struct Tail {
  std::span<const std::byte> bytes;
  std::uint64_t base = 0;  // bytes of the file before them

  std::uint64_t file_size() const { return base + bytes.size(); }
};

// Of a tail that ends with one. kChecksum, kCorrupt, kUnsupportedVersion; offsets are in the file.
// kOutputTooSmall: the tail does not reach back to where the trailer begins, which `view` says.
Status parse(const Tail& tail, View& view);

// The points of all chunks, found by walking over their sizes; View checks that they fit.
class PointsWalker {
 public:
  explicit PointsWalker(const View& view) : left_(view.points), log_(view.front.restart_log) {}
  // Of the next chunk, which has n numbers. kCorrupt where they do not fit.
  Status next(std::size_t n, ChunkPoints& points);
  bool is_at_end() const { return left_.empty(); }

 private:
  std::span<const std::byte> left_;
  std::optional<unsigned> log_;
};

}  // namespace numpact::trailer

#endif
