// SPDX-License-Identifier: Apache-2.0
// Files as memory.
#pragma once

#include <cstddef>
#include <span>

namespace numpact::internal::platform {

// The first `bytes` bytes, at least one, of an open file, read-only. Null with errno on failure.
// The mapping outlives the descriptor.
const std::byte* map_file(int descriptor, std::size_t bytes);
void unmap_file(std::span<const std::byte> bytes);

// Gives back the memory of the whole pages of a range, which begins with a page. They can still be
// read, and are then loaded from the file again.
void release_pages(std::span<const std::byte> bytes);

}  // namespace numpact::internal::platform
