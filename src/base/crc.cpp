// SPDX-License-Identifier: Apache-2.0
#include "base/crc.hpp"

#include "base/crc_polynomial.hpp"

#ifdef NUMPACT_OWN_CRC32
#include <array>

#include "base/load.hpp"
#else
#include <libdeflate.h>
#endif

namespace numpact::internal {
namespace {

#ifdef NUMPACT_OWN_CRC32
// For builds without libdeflate. Sixteen tables take sixteen bytes a step; [k][b] is what byte b
// adds to the checksum where k bytes follow it in the step.
constexpr std::size_t kStepBytes = 16;
using Tables = std::array<std::array<std::uint32_t, 256>, kStepBytes>;

constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t sum = byte;
    for (int bit = 0; bit < 8; ++bit) sum = crc_times_x(sum);
    tables[0][byte] = sum;
  }
  for (std::size_t k = 1; k < kStepBytes; ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t sum = tables[k - 1][byte];
      tables[k][byte] = tables[0][sum & 0xff] ^ (sum >> 8);
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

// The contribution of eight bytes, the last of which has `behind` bytes behind it in the step.
std::uint32_t sum_of_eight(std::uint64_t bytes, std::size_t behind) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < 8; ++i) sum ^= kTables[behind + 7 - i][bytes >> (8 * i) & 0xff];
  return sum;
}

std::uint32_t checksum(std::uint32_t before, const std::byte* bytes, std::size_t n) {
  std::uint32_t sum = ~before;
  std::size_t i = 0;
  for (; i + kStepBytes <= n; i += kStepBytes) {
    sum = sum_of_eight(load_le64(bytes + i) ^ sum, 8) ^ sum_of_eight(load_le64(bytes + i + 8), 0);
  }
  for (; i < n; ++i) {
    sum = kTables[0][(sum ^ std::to_integer<std::uint32_t>(bytes[i])) & 0xff] ^ (sum >> 8);
  }
  return ~sum;
}
#else
// libdeflate_crc32() returns the initial value for a null pointer.
std::uint32_t checksum(std::uint32_t before, const std::byte* bytes, std::size_t n) {
  return n == 0 ? before : libdeflate_crc32(before, bytes, n);
}
#endif

}  // namespace

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before) {
  return checksum(before, bytes.data(), bytes.size());
}

std::uint32_t join_crc32(std::uint32_t a, std::uint32_t b, std::uint64_t b_bytes) {
  return crc_before_zeros(a, b_bytes) ^ b;
}

}  // namespace numpact::internal
