// SPDX-License-Identifier: Apache-2.0
// CRC-32 as in zlib, also combined from separate parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace numpact::internal {

// The CRC of all bytes, given the CRC `before` of those preceding `bytes`.
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0);

// The CRC of a followed by b, where b has `b_bytes` bytes.
std::uint32_t join_crc32(std::uint32_t a, std::uint32_t b, std::uint64_t b_bytes);

}  // namespace numpact::internal
