// SPDX-License-Identifier: Apache-2.0
// Use of a file's trailer while reading.
#pragma once

#include <optional>
#include <span>

#include "base/internal.hpp"
#include "numpact/trailer.hpp"
#include "pco/trailer/layout.hpp"

namespace numpact {

// The trailer of a file, if the policy allows its use. Allocates nothing. Returns errors only if
// the policy requires a trailer.
Status find_trailer(std::span<const std::byte> file, TrailerPolicy policy,
                    std::optional<trailer::View>& view);

// Whether the front of a trailer agrees with the header of its file.
bool agree(const trailer::Front& front, const FileHeader& header);

// With kVerify, verifies all that the trailer says about the file.
Status verify_if_asked(std::span<const std::byte> file, const DecodeConfig& config,
                       DecodeContext* context);

Status first_error(const Verification& found);

// Compares chunks decoded in order with the trailer.
class TrailerCheck {
 public:
  // Compares the file's header. Without a trailer nothing is checked.
  Status start(std::span<const std::byte> file, TrailerPolicy policy);
  bool has_trailer() const { return view_.has_value(); }
  const trailer::View& view() const { return *view_; }

  // Call before entering a chunk at `offset`. The checksum of a chunk with more than `max_n`
  // numbers, which will not be read whole, is not compared.
  Status before_chunk(std::uint64_t chunk, std::uint64_t offset, std::uint64_t max_n) const;
  // Call after decoding the `n` numbers of chunks [first, end) up to `offset`. `valid_n`: numbers
  // of those before an error.
  Status after_chunks(std::uint64_t first, std::uint64_t end, std::uint64_t offset, std::uint64_t n,
                      std::uint64_t& valid_n) const;
  // Call after the terminator, with the chunks and numbers before it.
  Status at_end(std::uint64_t chunks, std::uint64_t offset, std::uint64_t numbers) const;

 private:
  bool fits_head(const trailer::ChunkRecord& record) const;
  Status check_chunk(std::uint64_t chunk) const;

  std::span<const std::byte> file_;
  std::optional<trailer::View> view_;
};

}  // namespace numpact
