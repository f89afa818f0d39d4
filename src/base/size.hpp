// SPDX-License-Identifier: Apache-2.0
// Converts 64-bit sizes from files to size_t, which has 32 bits on some machines.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/memory.hpp"

namespace numpact::internal {

// Whether an object of this size can exist in memory.
constexpr bool fits_memory(std::uint64_t bytes) { return bytes <= SIZE_MAX; }

// Converts a size that is bounded by existing or planned allocations. Throws std::length_error
// (inside the library only) instead of truncating; without exceptions callers ask
// ensure_memory() before.
constexpr std::size_t to_size(std::uint64_t number) {
  if (!fits_memory(number)) throw_length_error();
  return static_cast<std::size_t>(number);
}

}  // namespace numpact::internal
