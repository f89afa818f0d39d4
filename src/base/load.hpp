// SPDX-License-Identifier: Apache-2.0
// Little-endian loads and stores at any address.
#ifndef NUMPACT_BASE_LOAD_HPP
#define NUMPACT_BASE_LOAD_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace numpact {

inline std::uint64_t load_le64(const std::byte* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

inline void store_le64(std::byte* at, std::uint64_t word) {
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  std::memcpy(at, &word, sizeof word);
}

}  // namespace numpact

#endif
