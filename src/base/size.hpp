// SPDX-License-Identifier: Apache-2.0
// Sizes as files tell them, 64 bits wide, and as memory has them: 32 bits on some machines.
#ifndef NUMPACT_BASE_SIZE_HPP
#define NUMPACT_BASE_SIZE_HPP

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace numpact {

// Whether so many bytes could be in memory at all.
constexpr bool fits_memory(std::uint64_t bytes) { return bytes <= SIZE_MAX; }

// Of a number that is bounded by what is in memory, or will be once it is allocated. Throws
// std::length_error (inside the library only) where it is not, instead of cutting it off.
constexpr std::size_t to_size(std::uint64_t number) {
  if (!fits_memory(number)) throw std::length_error("larger than memory can be");
  return static_cast<std::size_t>(number);
}

}  // namespace numpact

#endif
