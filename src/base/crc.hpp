// SPDX-License-Identifier: Apache-2.0
// CRC-32 as zlib has it, also of parts that are seen apart.
#ifndef NUMPACT_BASE_CRC_HPP
#define NUMPACT_BASE_CRC_HPP

#include <cstddef>
#include <cstdint>
#include <span>

namespace numpact {

// Of the bytes behind those whose CRC is `before`.
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0);

// Of a followed by b, which is `b_bytes` long.
std::uint32_t join_crc32(std::uint32_t a, std::uint32_t b, std::uint64_t b_bytes);

}  // namespace numpact

#endif
