// SPDX-License-Identifier: Apache-2.0
// The first bytes of a file: which version it has and where its header is.
#ifndef NUMPACT_CVC_HEADER_FRAME_HPP
#define NUMPACT_CVC_HEADER_FRAME_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include "numpact/error.hpp"

namespace numpact::cvc {

inline constexpr std::uint64_t kUnknownSize = ~std::uint64_t{0};
inline constexpr std::uint64_t kPageBytes = 4096;  // records start on, in the paged layout
inline constexpr char kMagic[] = {'C', 'V', 'C', 'F'};

struct Frame {
  unsigned major = 0;
  unsigned minor = 1;
  std::uint64_t json_at = 0;
  std::uint64_t json_bytes = 0;
  std::uint64_t end() const { return json_at + json_bytes; }
};

// From the bytes at the start of a file of `file_bytes` (kUnknownSize). Sets `needed` to the bytes
// that hold the header and all before it; where they are too few to tell, to a number larger than
// theirs: then `frame` means nothing.
Status find_header(std::span<const std::byte> bytes, std::uint64_t file_bytes, Frame& frame,
                   std::uint64_t& needed);

}  // namespace numpact::cvc

#endif
