// SPDX-License-Identifier: Apache-2.0
// The trailer of a standalone file (docs/format/trailer.md): chunk positions, value ranges,
// checksums and restart points. EncodeConfig::trailer writes it, DecodeConfig::trailer controls its
// use. Also: ranges of values, and the search for damage.
#pragma once

#include <bit>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "numpact/random_access.hpp"

namespace numpact {

// The rank of a number among all numbers of its type, as an unsigned integer of its width: -NaN,
// -inf, ..., -0.0, 0.0, ..., inf, NaN. `bits`: the number's bits as an unsigned integer.
NUMPACT_API std::uint64_t to_ordered_latent(NumberType type, std::uint64_t bits) noexcept;
NUMPACT_API std::uint64_t from_ordered_latent(NumberType type, std::uint64_t latent) noexcept;

// A trailer's record of a chunk.
struct ChunkSummary {
  IndexedChunk place;
  std::uint64_t bytes = 0;      // size of head, metadata and page
  std::uint32_t crc = 0;        // CRC-32 of these bytes
  std::uint64_t nan_count = 0;  // NaNs among its numbers
  // The range of the other numbers, as ordered latents; unspecified if there are none.
  std::uint64_t min_latent = 0;
  std::uint64_t max_latent = 0;
  std::uint64_t restart_points = 0;

  bool has_range() const { return nan_count < place.count; }

  friend bool operator==(const ChunkSummary&, const ChunkSummary&) = default;
};

namespace detail {
template <class T>
using BitsOf =
    std::tuple_element_t<std::bit_width(sizeof(T)) - 1,
                         std::tuple<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>>;
}  // namespace detail

// Converts the bounds of a chunk's range to numbers; T must be the file's type.
template <Number T>
T number_of_latent(std::uint64_t latent) {
  const std::uint64_t bits = from_ordered_latent(kNumberTypeOf<T>, latent);
  return std::bit_cast<T>(static_cast<detail::BitsOf<T>>(bits));
}
template <Number T>
std::uint64_t latent_of_number(T number) {
  return to_ordered_latent(kNumberTypeOf<T>, std::bit_cast<detail::BitsOf<T>>(number));
}

// The numbers from a least to a greatest one, both included, compared by value: NaN is in no range,
// and -0.0 equals 0.0. Empty if a bound is NaN or the bounds are in the wrong order.
struct ValueRange {
  NumberType type = NumberType::kU8;
  std::uint64_t min_latent = 0;
  std::uint64_t max_latent = 0;

  template <Number T>
  static ValueRange of(T min, T max) {
    return {kNumberTypeOf<T>, latent_of_number(min), latent_of_number(max)};
  }
};

// How many of some numbers are in a range; kSome also if that is not known.
enum class RangeMatch : std::uint8_t { kNone, kSome, kAll };

// Counts the numbers of a standalone file in memory that are in the range, or finds out whether
// there is one. Ranges of chunks in a trailer, dictionaries and bins decide about whole chunks;
// only the others are decoded, on the calling thread. Without a trailer the tANS codes of all
// chunks are read. Errors: kTypeMismatch; as count_numbers() and, for chunks that are decoded, as
// decompress_into(). Limits apply to the numbers of the file.
NUMPACT_API Result<std::uint64_t> count_where(std::span<const std::byte> file,
                                              const ValueRange& range,
                                              const DecodeConfig& config = {},
                                              DecodeContext* context = nullptr) noexcept;
NUMPACT_API Result<bool> exists(std::span<const std::byte> file, const ValueRange& range,
                                const DecodeConfig& config = {},
                                DecodeContext* context = nullptr) noexcept;

// CRC-32 as in zlib, continued from that of the bytes before.
NUMPACT_API std::uint32_t checksum_of(std::span<const std::byte> bytes,
                                      std::uint32_t before = 0) noexcept;

struct TrailerTail;
struct MadeTrailer;

// A parsed trailer. Immutable and cheap to copy; does not refer to the file's memory.
class NUMPACT_API Trailer {
 public:
  Trailer() = default;  // for an empty file

  // Reads the trailer, if there is one, at the end of a file in memory; time and memory grow with
  // the chunks, not the numbers. Errors: kChecksum, kCorrupt or kUnsupportedVersion if it is
  // damaged, inconsistent or newer; kOutOfMemory. Reads and verify() check it against the file.
  static Result<std::optional<Trailer>> read(std::span<const std::byte> file) noexcept;
  // For the tail of a file, which follows `before` other bytes.
  static Result<TrailerTail> read_tail(std::span<const std::byte> tail,
                                       std::uint64_t before) noexcept;
  // Makes a trailer by decoding the file. An existing trailer must match (kChecksum or kCorrupt if
  // file or trailer is damaged), and other bytes after the file, which the trailer would replace,
  // are refused (kCorrupt, with their position) unless they are an unfinished trailer; neither with
  // kIgnore as config.trailer. Other errors: kInvalidArgument (spec), those of decoding.
  static Result<MadeTrailer> make(std::span<const std::byte> file, const TrailerSpec& spec,
                                  const DecodeConfig& config = {},
                                  DecodeContext* context = nullptr) noexcept;

  std::optional<NumberType> type() const noexcept;  // none: an empty file without a type
  std::uint64_t count() const noexcept;
  // Sizes of the file up to the trailer, and of the trailer.
  std::uint64_t file_bytes() const noexcept;
  std::uint64_t bytes() const noexcept;
  // CRC-32 of the file header, which ends at the first chunk.
  std::uint32_t header_crc() const noexcept;
  // What the trailer says of it: the format version, its size, and the type of the numbers.
  FileHeader header() const noexcept;
  // log2 of the distance between restart points; none: there are none.
  std::optional<unsigned> restart_log() const noexcept;
  // In file order, as a list made at the first call; valid while this trailer or a copy lives.
  // Empty if memory does not suffice.
  std::span<const ChunkSummary> chunks() const noexcept;
  ChunkIndex index() const noexcept;  // for a FileReader; includes restart points

  // Chunks that may hold a number of the range, both ends included. NaN is in no range.
  std::vector<std::size_t> chunks_within(std::uint64_t min_latent, std::uint64_t max_latent) const;
  template <Number T>
  std::vector<std::size_t> chunks_within(T min, T max) const {
    return chunks_within(latent_of_number(min), latent_of_number(max));
  }

  struct Table;

 private:
  std::shared_ptr<const Table> table_;  // null: empty
};

struct TrailerTail {
  std::optional<Trailer> trailer;
  // If the tail holds only a part of the trailer: the bytes before it that are also needed. A tail
  // of 24 bytes suffices to know.
  std::uint64_t missing = 0;
};

struct MadeTrailer {
  std::vector<std::byte> bytes;
  // Size of the file including its terminator, where the trailer belongs.
  std::uint64_t file_bytes = 0;
};

// A part of a file that cannot be decoded or has changed.
struct DamagedPart {
  std::uint64_t chunk = 0;  // the first one affected
  std::uint64_t first = 0;  // numbers before it
  // Numbers lost; none: all to the end of the file, an unknown number.
  std::optional<std::uint64_t> count;
  std::uint64_t offset = 0;  // in bytes
  std::uint64_t bytes = 0;
  Status status;
};

// The result of verify().
struct Verification {
  std::optional<NumberType> type;
  TrailerState trailer = TrailerState::kNone;
  Status trailer_status;
  Status header_status;             // state of the header: kChecksum, or its parse error
  std::vector<DamagedPart> damage;  // in file order
  std::uint64_t sound_count = 0;    // numbers in intact chunks
  std::uint64_t good_bytes = 0;     // up to the first damage
  std::uint64_t file_bytes = 0;     // up to and including the terminator, if it was reached
  std::uint64_t trailing_bytes = 0;
  // All chunks at known positions. A FileReader made with `header` can read the intact ones.
  ChunkIndex index;
  FileHeader header;

  bool is_sound() const {
    return header_status.ok() && damage.empty() &&
           (trailer == TrailerState::kNone || trailer == TrailerState::kSound);
  }
};

// Checks a whole file: structure, checksums, and decodability of every number. With an intact
// trailer each chunk is checked and compared with its record, including restart points,
// concurrently with the config's threads; otherwise the check ends at the first damage. Damage is
// reported in the Verification; errors are only kLimitExceeded, kOutOfMemory and kCancelled.
NUMPACT_API Result<Verification> verify(std::span<const std::byte> file,
                                        const DecodeConfig& config = {},
                                        DecodeContext* context = nullptr) noexcept;

}  // namespace numpact
