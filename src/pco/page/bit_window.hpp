// SPDX-License-Identifier: Apache-2.0
// The part of the input that a page is decoded from.
#ifndef NUMPACT_PCO_PAGE_BIT_WINDOW_HPP
#define NUMPACT_PCO_PAGE_BIT_WINDOW_HPP

#include <cstddef>
#include <cstdint>
#include <span>

namespace numpact::internal {

struct BitWindow {
  std::span<const std::byte> bytes;
  std::uint64_t position = 0;  // in bits
  bool is_last = true;         // the input ends with `bytes`
};

}  // namespace numpact::internal

#endif
