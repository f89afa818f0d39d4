// SPDX-License-Identifier: Apache-2.0
// Polynomials over GF(2) modulo that of CRC-32; the top bit is the coefficient of x^0.
#pragma once

#include <cstdint>

namespace numpact::internal {

inline constexpr std::uint32_t kCrcModulus = 0xedb88320u;
inline constexpr std::uint32_t kCrcOne = 0x80000000u;

constexpr std::uint32_t crc_times_x(std::uint32_t a) {
  return (a >> 1) ^ ((a & 1u) != 0 ? kCrcModulus : 0u);
}

constexpr std::uint32_t crc_product(std::uint32_t a, std::uint32_t b) {
  std::uint32_t product = 0;
  for (std::uint32_t bit = kCrcOne; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) product ^= b;
    b = crc_times_x(b);
  }
  return product;
}

// a times x^(8 bytes), by squaring: what `bytes` zeros behind it make of a checksum.
constexpr std::uint32_t crc_before_zeros(std::uint32_t a, std::uint64_t bytes) {
  std::uint32_t power = kCrcOne >> 8;  // x^8
  for (; bytes != 0; bytes >>= 1) {
    if ((bytes & 1) != 0) a = crc_product(a, power);
    power = crc_product(power, power);
  }
  return a;
}

}  // namespace numpact::internal
