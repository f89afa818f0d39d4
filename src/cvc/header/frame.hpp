// SPDX-License-Identifier: Apache-2.0
// The first bytes of a file: its version, and the position of its header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "numpact/error.hpp"

namespace numpact::cvc::internal {

inline constexpr std::uint64_t kUnknownSize = ~std::uint64_t{0};
// Alignment of records in the paged layout.
inline constexpr std::uint64_t kPageBytes = 4096;
inline constexpr char kMagic[] = {'C', 'V', 'C', 'F'};

struct Frame {
  unsigned major = 0;
  unsigned minor = 1;
  std::uint64_t json_at = 0;
  std::uint64_t json_bytes = 0;
  std::uint64_t end() const { return json_at + json_bytes; }
};

// Locates the header, given the bytes at the start of a file of `file_bytes` bytes (or
// kUnknownSize). Sets `needed` to the number of bytes up to the header's end. If `bytes` are too
// few to decide, `needed` is larger than their number and `frame` is not set.
Status find_header(std::span<const std::byte> bytes, std::uint64_t file_bytes, Frame& frame,
                   std::uint64_t& needed);

}  // namespace numpact::cvc::internal
