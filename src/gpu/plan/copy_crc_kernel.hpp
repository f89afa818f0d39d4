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

}  // namespace numpact::internal
