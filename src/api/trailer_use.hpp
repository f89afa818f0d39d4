// SPDX-License-Identifier: Apache-2.0
// What reading a file makes of its trailer.
#ifndef NUMPACT_API_TRAILER_USE_HPP
#define NUMPACT_API_TRAILER_USE_HPP

#include <optional>
#include <span>

#include "numpact/trailer.hpp"
#include "pco/trailer/layout.hpp"

namespace numpact {

// The trailer of a file, if the policy lets it be used. Allocates nothing. Errors under kRequire.
Status find_trailer(std::span<const std::byte> file, TrailerPolicy policy,
                    std::optional<trailer::View>& view);

// Before a file is written on, or gets another trailer: a damaged one may have been the only
// witness of damage before it. Errors: kChecksum, kCorrupt; kUnsupportedVersion for a newer one.
Status damaged_trailer(ErrorKind kind, std::uint64_t offset);
Status refuse_damaged_trailer(std::span<const std::byte> file);
// The same of the bytes from `offset` on that are no sound trailer, with their first and last ones:
// where they begin or end as one does.
Status refuse_damaged_rest(std::span<const std::byte> begin, std::span<const std::byte> end,
                           std::uint64_t offset);

// Holds what is decoded in order against the trailer.
class TrailerCheck {
 public:
  // With no trailer nothing is checked.
  Status start(std::span<const std::byte> file, TrailerPolicy policy);
  bool has_trailer() const { return view_.has_value(); }
  const trailer::View& view() const { return *view_; }

  // Before a chunk at `offset` is entered of which at most `room` numbers are wanted: one that is
  // not wanted whole is not looked at.
  Status before_chunk(std::uint64_t chunk, std::uint64_t offset, std::uint64_t room) const;
  // After chunks [first, end) were decoded, up to `offset`. `sound_n`: numbers of those before the
  // error.
  Status after_chunks(std::uint64_t first, std::uint64_t end, std::uint64_t offset,
                      std::uint64_t& sound_n) const;
  // After the terminator, behind so many chunks.
  Status at_end(std::uint64_t chunks, std::uint64_t offset) const;

 private:
  Status check_crc(std::uint64_t chunk) const;

  std::span<const std::byte> file_;
  std::optional<trailer::View> view_;
};

}  // namespace numpact

#endif
