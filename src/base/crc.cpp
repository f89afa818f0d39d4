// SPDX-License-Identifier: Apache-2.0
#include "base/crc.hpp"

#include <libdeflate.h>

namespace numpact::internal {
namespace {

// Polynomials over GF(2) modulo the CRC polynomial; the top bit is the coefficient of x^0.
constexpr std::uint32_t kModulus = 0xedb88320u;
constexpr std::uint32_t kOne = 0x80000000u;

constexpr std::uint32_t times_x(std::uint32_t a) {
  return (a >> 1) ^ ((a & 1u) != 0 ? kModulus : 0u);
}

constexpr std::uint32_t multiply(std::uint32_t a, std::uint32_t b) {
  std::uint32_t product = 0;
  for (std::uint32_t bit = kOne; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) product ^= b;
    b = times_x(b);
  }
  return product;
}

}  // namespace

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before) {
  // libdeflate_crc32() returns the initial value for a null pointer.
  return bytes.empty() ? before : libdeflate_crc32(before, bytes.data(), bytes.size());
}

std::uint32_t join_crc32(std::uint32_t a, std::uint32_t b, std::uint64_t b_bytes) {
  // Appending 8 b_bytes zero bits multiplies a by x^(8 b_bytes), computed by squaring.
  std::uint32_t power = kOne >> 8;  // x^8
  for (std::uint64_t n = b_bytes; n != 0; n >>= 1) {
    if ((n & 1) != 0) a = multiply(a, power);
    power = multiply(power, power);
  }
  return a ^ b;
}

}  // namespace numpact::internal
