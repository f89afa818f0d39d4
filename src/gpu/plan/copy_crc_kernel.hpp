// SPDX-License-Identifier: Apache-2.0
// Copies bytes and computes their CRC-32 in one pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace numpact::internal {

// Copies `from` to `to` and returns crc32(from, before). Large copies bypass the caches: the next
// reader of `to` is a device. Another thread, or a device, may read them after the return.
std::uint32_t copy_crc32(std::span<const std::byte> from, std::byte* to, std::uint32_t before);

// ---- of the kernel ----

// Vectors of a step. Their products are independent, which hides the latency of a product (4 to 7
// cycles); a sum per vector must fit the registers (16 of AVX2).
inline constexpr std::size_t kFoldVectors = 8;
inline constexpr std::size_t kMaxFoldBytes = 64 * kFoldVectors;  // of a step; 512-bit vectors

// The bytes that were copied, a multiple of the step, and in `sums` as many bytes as a step has,
// whose CRC from a register of 0 is that of the copied bytes from the register `crc`.
struct Folded {
  std::size_t copied = 0;
  std::size_t sum_bytes = 0;
  alignas(64) std::byte sums[kMaxFoldBytes];
};

// x^n modulo the polynomial of CRC-32; the coefficient of x^0 is the top bit.
constexpr std::uint64_t power_of_x(std::size_t n) {
  std::uint32_t power = 0x80000000U;
  for (; n > 0; --n) power = (power >> 1) ^ ((power & 1U) != 0 ? 0xedb88320U : 0U);
  return power;
}

}  // namespace numpact::internal
