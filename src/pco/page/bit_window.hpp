// SPDX-License-Identifier: Apache-2.0
// The part of the input that a page is decoded from.
#pragma once

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
