// SPDX-License-Identifier: Apache-2.0
// Alignment of memory from callers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace numpact::internal {

// Whether elements of `size` bytes, a power of two, may lie at the address.
inline bool is_aligned_for(const void* address, std::size_t size) {
  return (reinterpret_cast<std::uintptr_t>(address) & (size - 1)) == 0;
}

// The same of rows of elements, `stride` bytes from one to the next.
inline bool is_aligned_for(const void* address, std::size_t stride, std::size_t size) {
  return is_aligned_for(address, size) && (stride & (size - 1)) == 0;
}

}  // namespace numpact::internal
