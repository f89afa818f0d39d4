// SPDX-License-Identifier: Apache-2.0
// What may lie behind a standalone file (docs/format/trailer.md): where its chunks are, what range
// of numbers each holds, checksums, and restart points. Other readers take no notice of it.
//
// EncodeConfig::trailer has one written; DecodeConfig::trailer says what reading makes of it. This
// is for those who want to see it, make one for a file that has none, or find damage by it.
#ifndef NUMPACT_TRAILER_HPP
#define NUMPACT_TRAILER_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "numpact/config.hpp"
#include "numpact/error.hpp"
#include "numpact/random_access.hpp"
#include "numpact/types.hpp"

namespace numpact {

// The place of a number in the order of all numbers of its type, as an unsigned integer of its
// width: -NaN, -inf, ..., -0.0, 0.0, ..., inf, NaN. `bits`: of the number, as an unsigned integer.
NUMPACT_API std::uint64_t to_ordered_latent(NumberType type, std::uint64_t bits) noexcept;
NUMPACT_API std::uint64_t from_ordered_latent(NumberType type, std::uint64_t latent) noexcept;

// What a trailer says of a chunk.
struct ChunkSummary {
  IndexedChunk place;
  std::uint64_t bytes = 0;      // of its head, metadata and page
  std::uint32_t crc = 0;        // CRC-32 of these
  std::uint64_t nan_count = 0;  // NaN among its numbers
  // The range of the others, as ordered latents; meaningless if there are none.
  std::uint64_t least = 0;
  std::uint64_t greatest = 0;
  std::uint64_t restart_points = 0;

  bool has_range() const { return nan_count < place.count; }

  friend bool operator==(const ChunkSummary&, const ChunkSummary&) = default;
};

namespace detail {
template <class T>
using BitsOf = std::conditional_t<
    sizeof(T) == 1, std::uint8_t,
    std::conditional_t<sizeof(T) == 2, std::uint16_t,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
}  // namespace detail

// Ends of a chunk's range as numbers; T must be the file's type.
template <Number T>
T number_of_latent(std::uint64_t latent) {
  const std::uint64_t bits = from_ordered_latent(kNumberTypeOf<T>, latent);
  return std::bit_cast<T>(static_cast<detail::BitsOf<T>>(bits));
}
template <Number T>
std::uint64_t latent_of_number(T number) {
  return to_ordered_latent(kNumberTypeOf<T>, std::bit_cast<detail::BitsOf<T>>(number));
}

// A trailer that was read. Immutable and cheap to copy; holds nothing of the file.
class NUMPACT_API Trailer {
 public:
  // Of an empty file.
  Trailer() = default;

  // Looks at the end of a file in memory: in time and memory that grow with the chunks, not with
  // the numbers. `trailer` stays empty where the file does not end with one. Errors: kChecksum,
  // kCorrupt, kUnsupportedVersion for one that is damaged, contradicts itself or is newer;
  // kOutOfMemory. Whether what it says is true of the file is found when that is read, or by
  // try_verify.
  static Status try_read(std::span<const std::byte> file, std::optional<Trailer>& trailer) noexcept;
  // The same with the end of a file whose first `before` bytes are elsewhere. Where that does not
  // hold the whole trailer, `missing` becomes how many bytes before it are needed, too, and nothing
  // else happens; 24 bytes are enough to tell.
  static Status try_read_tail(std::span<const std::byte> tail, std::uint64_t before,
                              std::optional<Trailer>& trailer, std::uint64_t& missing) noexcept;
  static std::optional<Trailer> read(std::span<const std::byte> file) {
    std::optional<Trailer> trailer;
    throw_if_error(try_read(file, trailer));
    return trailer;
  }

  // Makes one for a file, which is decoded. If it has one, it must be what that says: kChecksum or
  // kCorrupt for a file, or a trailer, that is damaged, unless config.trailer is kIgnore. Other
  // bytes behind it are left aside. `file_bytes` becomes where the file ends with its terminator,
  // and where the trailer belongs. Errors: kInvalidArgument (spec), any that decoding gives.
  static Status try_make(std::span<const std::byte> file, const TrailerSpec& spec,
                         std::vector<std::byte>& trailer, std::uint64_t& file_bytes,
                         const DecodeConfig& config = {},
                         DecodeContext* context = nullptr) noexcept;

  // None: the file is empty and does not say what of.
  std::optional<NumberType> type() const noexcept;
  std::uint64_t count() const noexcept;
  // Of the file without its trailer, which begins there, and of the trailer.
  std::uint64_t file_bytes() const noexcept;
  std::uint64_t bytes() const noexcept;
  // CRC-32 of the file's header: of what comes before its first chunk.
  std::uint32_t header_crc() const noexcept;
  // How far apart restart points are, as a power of two; none: it has none.
  std::optional<unsigned> restart_log() const noexcept;
  // In file order, as a list that is made when it is first asked for; valid as long as this trailer
  // or a copy lives. Empty where memory does not suffice for it.
  std::span<const ChunkSummary> chunks() const noexcept;
  // For a FileReader; restart points included.
  ChunkIndex index() const noexcept;

  // The chunks that may hold a number from `least` to `greatest`, as ordered latents. NaN is within
  // no range.
  std::vector<std::size_t> chunks_within(std::uint64_t least, std::uint64_t greatest) const;
  template <Number T>
  std::vector<std::size_t> chunks_within(T least, T greatest) const {
    return chunks_within(latent_of_number(least), latent_of_number(greatest));
  }

  struct Table;

 private:
  std::shared_ptr<const Table> table_;  // null: nothing
};

// A part of a file that cannot be decoded or is not what it was.
struct DamagedPart {
  std::uint64_t chunk = 0;  // the first that is concerned
  std::uint64_t first = 0;  // numbers before it
  // Numbers lost; none: to the end of the file, however many those are.
  std::optional<std::uint64_t> count;
  std::uint64_t offset = 0;  // in bytes
  std::uint64_t bytes = 0;
  Status status;
};

// What try_verify found.
struct Verification {
  std::optional<NumberType> type;
  TrailerState trailer = TrailerState::kNone;
  Status trailer_status;
  // Of the header: kChecksum, or what parsing it gave. Where try_verify itself fails, its error:
  // then nothing is said to be sound.
  Status header_status;
  std::vector<DamagedPart> damage;  // in file order, chunks
  std::uint64_t sound_count = 0;    // numbers in sound chunks
  std::uint64_t good_bytes = 0;     // from the front, up to the first damage
  std::uint64_t file_bytes = 0;     // up to the terminator and with it, if that was reached
  std::uint64_t trailing_bytes = 0;
  // Of all chunks whose place is known. For a FileReader made with `header`, the sound ones can be
  // read.
  ChunkIndex index;
  FileHeader header;

  bool is_sound() const {
    return header_status.ok() && damage.empty() &&
           (trailer == TrailerState::kNone || trailer == TrailerState::kSound);
  }
};

// Checks all of a file: structure, checksums, and by decoding every number. With a sound trailer
// each chunk is looked at, and what the trailer says of it is compared (restart points too); else
// the first damage is the end. Never stops at damage: a Status is returned for kLimitExceeded,
// kOutOfMemory and kCancelled only. Threads share chunks where there is a trailer.
NUMPACT_API Status try_verify(std::span<const std::byte> file, Verification& verification,
                              const DecodeConfig& config = {},
                              DecodeContext* context = nullptr) noexcept;

inline Verification verify(std::span<const std::byte> file, const DecodeConfig& config = {}) {
  Verification verification;
  throw_if_error(try_verify(file, verification, config));
  return verification;
}

}  // namespace numpact

#endif
